import Testing
import Todo
import TodoProtocol

/// Parameters that are refused, with the word, the place and the number.
struct RefusedParams: Sendable, CustomTestStringConvertible {
    let method: String
    let params: String
    let reason: Reason
    let path: String?
    let code: ErrorCode

    var testDescription: String { "\(method) \(params.prefix(70))" }

    init(_ method: String, _ params: String, _ reason: Reason, _ path: String?, code: ErrorCode = .invalidParams) {
        self.method = method
        self.params = params
        self.reason = reason
        self.path = path
        self.code = code
    }

    func verify() throws {
        let error = try badParams(method, params)
        #expect(error.code == code)
        #expect(error.reason == reason.rawValue)
        #expect(error.path == path)
        #expect(!error.message.isEmpty && error.message.utf8.count < 600)
    }
}

@Suite("The parameters of a call")
struct CallDecodingTests {
    static let long = String(repeating: "x", count: 129)

    static let refused: [RefusedParams] = [
        RefusedParams("info", #"{"x":1}"#, .unknownParameter, "x"),
        RefusedParams("info", #"{"x":null}"#, .unknownParameter, "x"),
        RefusedParams("info", "[]", .positionalParameters, nil),
        RefusedParams("register", "{}", .missing, "username"),
        RefusedParams("register", #"{"username":"a"}"#, .missing, "password"),
        RefusedParams("register", #"{"username":"a","password":null}"#, .missing, "password"),
        RefusedParams("register", #"{"username":"a","password":"1234567"}"#, .tooShort, "password"),
        RefusedParams("register", #"{"username":"a\u0000","password":"12345678"}"#, .nul, "username"),
        RefusedParams("register", #"{"username":"a","password":"1234\u00005678"}"#, .nul, "password"),
        RefusedParams("register", #"{"username":7,"password":"12345678"}"#, .wrongType, "username"),
        RefusedParams("login", "{}", .missing, "provider"),
        RefusedParams("login", "[1]", .positionalParameters, nil),
        RefusedParams("login", #"{"provider":1}"#, .wrongType, "provider"),
        RefusedParams("login", #"{"provider":"password","username":"a"}"#, .missing, "password"),
        RefusedParams("login", #"{"provider":"password","username":"a","password":"b","token":"c"}"#, .unknownParameter, "token"),
        RefusedParams("login", #"{"provider":"nickname"}"#, .missing, "nickname"),
        RefusedParams("login", #"{"provider":"token"}"#, .missing, "token"),
        RefusedParams("login", #"{"provider":"jwt","token":7}"#, .wrongType, "token"),
        RefusedParams("logout", #"{"everywhere":1}"#, .wrongType, "everywhere"),
        RefusedParams("logout", #"{"everywere":true}"#, .unknownParameter, "everywere"),
        RefusedParams("unsubscribe", "{}", .missing, "name"),
        RefusedParams("unsubscribe", #"{"name":""}"#, .tooShort, "name"),
        RefusedParams("subscribe", #"{"class":"Item"}"#, .missing, "name"),
        RefusedParams("subscribe", #"{"name":"a"}"#, .missing, "class"),
        RefusedParams("subscribe", #"{"name":"a","class":"item"}"#, .unknownClass, "class"),
        RefusedParams("subscribe", #"{"name":"a","class":"Presense"}"#, .unknownClass, "class"),
        RefusedParams("subscribe", #"{"name":"a","class":7}"#, .wrongType, "class"),
        RefusedParams("subscribe", #"{"name":"\#(long)","class":"Item"}"#, .tooLong, "name"),
        RefusedParams("subscribe", #"{"name":"a\u0000","class":"Item"}"#, .nul, "name"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","filtre":"x"}"#, .unknownParameter, "filtre"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","filter":7}"#, .wrongType, "filter"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","filter":"\u0000"}"#, .nul, "filter"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","args":{}}"#, .wrongType, "args"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","args":[1,{}]}"#, .wrongType, "args[1]"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","args":[[1,[2]]]}"#, .wrongType, "args[0][1]"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","args":["a","\u0000"]}"#, .nul, "args[1]"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","args":[["a","\u0000"]]}"#, .nul, "args[0][1]"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","sort":"body"}"#, .wrongType, "sort"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","sort":["body",1]}"#, .wrongType, "sort[1]"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","limit":0}"#, .outOfRange, "limit"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","limit":1.5}"#, .wrongType, "limit"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","limit":"1"}"#, .wrongType, "limit"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","update":"yes"}"#, .wrongType, "update"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","limit":-1e30}"#, .outOfRange, "limit"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","since":1.5}"#, .wrongType, "since"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","epoch":1}"#, .wrongType, "epoch"),
        RefusedParams("subscribe", #"{"name":"a","class":"Item","offset":1}"#, .unknownParameter, "offset"),
        RefusedParams("query", #"{"class":"Item","offset":-1}"#, .outOfRange, "offset"),
        RefusedParams("query", #"{"class":"Item","offset":-9223372036854775809}"#, .outOfRange, "offset"),
        RefusedParams("query", #"{"class":"Item","name":"a"}"#, .unknownParameter, "name"),
        RefusedParams("invite.create", #"{"projectId":"p","role":"viewer","uses":1e30}"#, .outOfRange, "uses"),
        RefusedParams("invite.create", #"{"projectId":"p","role":"viewer","seconds":9223372036854775808}"#, .outOfRange, "seconds"),
        RefusedParams("admin.users", #"{"offset":1180591620717411303424}"#, .outOfRange, "offset"),
        RefusedParams("admin.users", #"{"limit":18446744073709551616}"#, .outOfRange, "limit"),
        RefusedParams("query", #"{}"#, .missing, "class"),
        RefusedParams("write", #"{}"#, .missing, "changes"),
        RefusedParams("write", #"{"changes":{}}"#, .wrongType, "changes"),
        RefusedParams("write", #"{"changes":[],"txn":"a b"}"#, .invalidId, "txn"),
        RefusedParams("write", #"{"changes":[],"txn":""}"#, .invalidId, "txn"),
        RefusedParams("write", #"{"changes":[],"txn":1}"#, .wrongType, "txn"),
        RefusedParams("write", #"{"changes":[1]}"#, .wrongType, "changes[0]"),
    ]

    @Test("are refused by word and place", arguments: refused)
    func refusedParams(_ example: RefusedParams) throws {
        try example.verify()
    }

    @Test("that are misspelt are told what was meant, or what there is")
    func suggestions() throws {
        #expect(try badParams("subscribe", #"{"name":"a","class":"Item","filtre":"x"}"#).message.contains("did you mean 'filter'?"))
        #expect(try badParams("unsubscribe", #"{"wholly":"x"}"#).message.contains("it takes name."))
        #expect(try badParams("query", #"{"class":"Itme"}"#).message.contains("did you mean 'Item'?"))
        #expect(ErrorResponse.unknownMethod("subcribe").message.contains("did you mean 'subscribe'?"))
    }

    @Test("of info and logout may be left out")
    func withoutParams() throws {
        guard case .call(.info) = try request(#"{"jsonrpc":"2.0","id":1,"method":"info"}"#).body,
            case .call(.logout(everywhere: false)) = try request(#"{"jsonrpc":"2.0","id":1,"method":"logout"}"#).body,
            case .logout(everywhere: true) = try call("logout", #"{"everywhere":true}"#),
            case .logout(everywhere: false) = try call("logout", #"{"everywhere":null}"#)
        else { throw UnexpectedOutcome("not read") }
    }

    @Test("of a log-in depend on the provider")
    func logins() throws {
        func login(_ params: String) throws -> LoginRequest? {
            guard case .login(let login) = try call("login", params) else { return nil }
            return login
        }
        #expect(try login(#"{"provider":"password","username":"ann","password":"s"}"#) == .password(username: "ann", password: "s"))
        #expect(try login(#"{"provider":"nickname","nickname":"Ann"}"#) == .nickname("Ann"))
        #expect(try login(#"{"provider":"token","token":"t"}"#) == .token("t"))
        #expect(try login(#"{"provider":"jwt","token":"a.b.c"}"#) == .jwt("a.b.c"))
        #expect(try login(#"{"provider":"ldap","anything":[1]}"#) == .other(provider: "ldap"))
    }

    @Test("of a registration are a name and a password of 8 to 1,024 bytes")
    func registration() throws {
        let password = String(repeating: "p", count: 1_024)
        guard case .register("ann", password) = try call("register", #"{"username":"ann","password":"\#(password)"}"#) else {
            throw UnexpectedOutcome("not read")
        }
        #expect(try badParams("register", #"{"username":"ann","password":"\#(password)x"}"#).reason == "tooLong")
    }

    @Test("of a subscription are read completely")
    func subscription() throws {
        let params = """
            {"name":"mine","class":"Project","filter":"owner == $user","args":[1,1.0,1.5,"x",true,null,[1,"a",null]],
             "sort":["-timestamp","name[c]"],"limit":1e3,"since":41,"epoch":"k3f9","update":true}
            """
        guard case .subscribe(let found) = try call("subscribe", params) else { throw UnexpectedOutcome("not read") }
        let args: [Argument] = [
            .value(.integer(1)), .value(.integer(1)), .value(.double(1.5)), .value(.string("x")), .value(.boolean(true)), .value(.null),
            .array([.integer(1), .string("a"), .null]),
        ]
        let query = QueryText(.project, filter: "owner == $user", args: args, sort: ["-timestamp", "name[c]"], limit: 1_000)
        #expect(found == SubscribeParams("mine", to: query, update: true, since: 41, epoch: "k3f9"))
    }

    @Test(
        "that are whole and beyond 64 bits are like the largest there are",
        arguments: ["9223372036854775808", "18446744073709551616", "1e30"])
    func wide(_ number: String) throws {
        let params = #"{"name":"a","class":"Item","limit":\#(number),"since":\#(number)}"#
        guard case .subscribe(let found) = try call("subscribe", params) else { throw UnexpectedOutcome("not read") }
        #expect(found.query.limit == Int.max && found.since == Int64.max)
        guard case .query(let query) = try call("query", #"{"class":"User","offset":\#(number)}"#) else {
            throw UnexpectedOutcome("not read")
        }
        #expect(query.offset == Int.max)
        let past = #"{"name":"a","class":"Item","since":-\#(number)}"#
        guard case .subscribe(let early) = try call("subscribe", past) else { throw UnexpectedOutcome("not read") }
        #expect(early.since == Int64.min)
    }

    @Test("that are whole and out of range are told so, and as what they are")
    func wideMessages() throws {
        let wide = try badParams("admin.users", #"{"limit":1e30}"#).message
        #expect(wide.contains("from 1 to 1000") && wide.contains("not 1e+30") && !wide.contains("not whole"))
        #expect(try badParams("query", #"{"class":1e30}"#).message.contains("not a number."))
        #expect(try badParams("query", #"{"class":"Item","limit":1.5}"#).message.contains("not whole"))
    }

    @Test("that are null are absent")
    func nulls() throws {
        let params =
            #"{"name":"a","class":"Item","filter":null,"args":null,"sort":null,"limit":null,"since":null,"epoch":null,"update":null}"#
        guard case .subscribe(let found) = try call("subscribe", params) else { throw UnexpectedOutcome("not read") }
        #expect(found == SubscribeParams("a", to: QueryText(.item)))
        guard case .query(let query) = try call("query", #"{"class":"User","offset":null}"#) else { throw UnexpectedOutcome("not read") }
        #expect(query == QueryParams(QueryText(.user)))
    }

    @Test("of a name may fill 128 bytes")
    func longestName() throws {
        let name = String(repeating: "é", count: 64)
        guard case .unsubscribe(name) = try call("unsubscribe", #"{"name":"\#(name)"}"#) else { throw UnexpectedOutcome("not read") }
    }

    @Test("of a query are the same only byte for byte")
    func sameQuery() {
        #expect(QueryText(.item, filter: "body == '\u{E9}'") != QueryText(.item, filter: "body == 'e\u{301}'"))
        #expect(QueryText(.item, sort: ["\u{E9}"]) != QueryText(.item, sort: ["e\u{301}"]))
        #expect(QueryText(.item, filter: "x", limit: 3) == QueryText(.item, filter: "x", limit: 3))
        #expect(QueryText(.item, filter: "x") != QueryText(.item))
        #expect(QueryText(.item, filter: "x").hashValue == QueryText(.item, filter: "x").hashValue)
    }

    @Test("hold at most 10,000 values in their arguments")
    func argumentLimit() throws {
        func params(_ count: Int) -> String {
            #"{"class":"Item","args":[0,["# + Array(repeating: "1", count: count).joined(separator: ",") + "]]}"
        }
        guard case .query = try call("query", params(9_999)) else { throw UnexpectedOutcome("not read") }
        let error = try badParams("query", params(10_000))
        #expect(error.code == .limit)
        #expect(error.limit == "argumentValues")
        #expect(error.maximum == 10_000)
        #expect(error.path == "args")
    }

    @Test("that are named by a hostile key make no long message")
    func hostileKeys() throws {
        let key = String(repeating: "k", count: 100_000)
        let error = try badParams("info", #"{"\#(key)":1}"#)
        #expect(error.message.utf8.count < 600)
        #expect(try #require(error.path).utf8.count < 300)
        #expect(try badParams("info", #"{"a\u0000b":1}"#).path == "a\u{FFFD}b")
    }
}
