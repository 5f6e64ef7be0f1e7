/// What the command line asks for.
enum EchoOptions {
    case serve(port: Int, identity: (certificateFile: String, keyFile: String)?)
    case help
    /// Something on the command line is wrong: a sentence that says what, and what would be right.
    case refused(String)

    static let usage = """
        usage: todo-echo [--port N] [--tls-cert FILE --tls-key FILE]

          --port N   listen on 127.0.0.1:N; 0 lets the system choose (default 9001)
          --help     show this text
          --tls-cert FILE, --tls-key FILE   certificate and key, PEM: speak wss only

        Paths: / and /echo return every message to its sender, /room sends it to everyone who is connected there.
        """

    init(arguments: ArraySlice<String>) {
        var rest = arguments
        var port = 9_001
        var files: [String: String] = [:]
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
            case "--tls-cert", "--tls-key":
                guard let file = rest.popFirst() else {
                    self = .refused("\(argument) takes a file")
                    return
                }
                files[argument] = file
            default:
                self = .refused("there is no option \(argument)")
                return
            }
        }
        switch (files["--tls-cert"], files["--tls-key"]) {
        case (nil, nil): self = .serve(port: port, identity: nil)
        case (let certificateFile?, let keyFile?): self = .serve(port: port, identity: (certificateFile, keyFile))
        default: self = .refused("--tls-cert and --tls-key go together")
        }
    }
}
