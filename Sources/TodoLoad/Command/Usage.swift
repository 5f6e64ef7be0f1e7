/// The program's own texts.
enum Usage {
    static let version = "todo-load 0.1.0"

    static let help = """
        todo-load: puts a load on a TodoSync server and proves that every session ends up right.

        Sessions log in, subscribe to the tasks of a project each, and write at a fixed total rate: new tasks, ticks, edits, moves and
        deletions. A write is sent when it is due, whether or not earlier ones are answered, and every latency counts from that moment.
        At the end each session's lists, built from its changes alone, must equal what the server's query says at the same version.

        With --idle, connections are opened and left alone instead, and what the server's process grew by is told for each: as bare
        connections, then logged in as a user each, then while twice as many more are opened and closed beside them.

        todo-load [flags]
          --url URL        the server, such as ws://127.0.0.1:8080/sync; without it, todo-load starts a server of its own and stops it
          --ca FILE        for wss: the authorities to trust, PEM (those of the system)
          --tls-cert FILE  certificate for the server of its own, PEM, for 127.0.0.1: connections are encrypted and trust this file
          --tls-key FILE   its key
          --sessions N     sessions that are kept open (50)
          --projects N     projects that the sessions are spread over (5)
          --rate N         writes a second, in all (100)
          --seconds N      how long is written (10)
          --seed N         the writes follow from it (1)
          --scenario NAME  reconnect: all sessions are cut off and come back at once; stalled: those of the first project stop reading;
                           first-list: sessions take a large list, one by one, while others write. Each is measured step by step
          --rows N         rows of a project, in first-list of the large list (200, 20, 100000)
          --idle N         open N idle connections and measure the server's memory
          --process N      the process whose memory that is, where --url names the server
          --json           print the report as one JSON object
          --help           this text
          --version        the version

        The server must allow log-in by nickname. Exit status: 0 all is well; 1 a write failed, a session was lost or a list is wrong;
        2 a flag can't be used; 130 stopped by Ctrl-C.
        """
}
