public import Todo

extension Object {
    /// The value of the field of that name; `null` where the class has no such field, or hides it.
    public subscript(name: String) -> Value {
        guard let place = className.schema.place(of: name) else { return .null }
        return self[place]
    }
}
