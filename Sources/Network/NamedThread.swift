import CLinux
import Glibc

/// A thread of the operating system with a name and an ample stack, for work that keeps a core: an event loop, the committer.
public struct NamedThread: ~Copyable, Sendable {
    private let handle: pthread_t

    private final class Start {
        let name: String
        let niceness: Int
        let body: @Sendable () -> Void

        init(name: String, niceness: Int, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.niceness = niceness
            self.body = body
        }

        /// On Linux niceness belongs to the thread. Where the system refuses it, the thread works all the same.
        func giveWay() {
            guard niceness > 0 else { return }
            let thread = __priority_which_t(PRIO_PROCESS.rawValue)
            _ = setpriority(thread, 0, getpriority(thread, 0) + Int32(niceness))
        }
    }

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; the system keeps the first 15 bytes.
    ///   - niceness: how far it gives way to the process's other threads where the cores do not suffice: 0 not at all, 19 as far as can be.
    ///   - stackBytes: address space for the stack; memory is taken as it is touched.
    ///   - body: what the thread does.
    /// - Throws: where the system gives no further thread.
    public init(name: String, niceness: Int = 0, stackBytes: Int = 8 << 20, body: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        let start = Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, &attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), String(start.name.utf8.prefix(15)) ?? "")
                start.giveWay()
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError("pthread_create", to: "start the thread \(name)", code: code)
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    public consuming func join() {
        pthread_join(handle, nil)
        discard self
    }

    deinit {
        // Nobody waits for it any more: its memory is freed when it ends by itself.
        pthread_detach(handle)
    }
}
