/// What the command line asks for.
enum EchoOptions {
    case serve(port: Int)
    case help
    /// Something on the command line is wrong: a sentence that says what, and what would be right.
    case refused(String)

    static let usage = """
        usage: todo-echo [--port N]

          --port N   listen on 127.0.0.1:N; 0 lets the system choose (default 9001)
          --help     show this text

        Paths: / and /echo return every message to its sender, /room sends it to everyone who is connected there.
        """

    init(arguments: ArraySlice<String>) {
        var rest = arguments
        var port = 9_001
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--port":
                guard let text = rest.popFirst(), let number = Int(text), (0...65_535).contains(number) else {
                    self = .refused("--port takes a number from 0 to 65535")
                    return
                }
                port = number
            default:
                self = .refused("there is no option \(argument)")
                return
            }
        }
        self = .serve(port: port)
    }
}
