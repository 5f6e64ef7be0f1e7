/// What belongs to each connection, by its identifier: look-up costs an index and a comparison.
///
/// The values lie in chunks that never move, so a value can be changed in place while the table grows. The table belongs to one
/// thread.
public struct ConnectionTable<Value: ~Copyable>: ~Copyable {
    @usableFromInline static var chunkSlots: Int { 64 }

    /// One allocation of `chunkSlots` values each.
    @usableFromInline var chunks: [UnsafeMutablePointer<Value>] = []
    /// The generation of the value in each slot; 0 is an empty one.
    @usableFromInline var generations: [UInt32] = []
    /// How many values there are.
    public private(set) var count = 0

    /// An empty table: takes no memory.
    public init() {}

    /// Where the value of `id` lies, or nil if there is none. Valid until that value is removed.
    @inlinable
    public func pointer(to id: ConnectionID) -> UnsafeMutablePointer<Value>? {
        let slot = id.slot
        guard slot < generations.count, generations[slot] == id.generation, id.generation != 0 else { return nil }
        return chunks[slot / Self.chunkSlots] + slot % Self.chunkSlots
    }

    /// Whether `id` has a value.
    @inlinable
    public func contains(_ id: ConnectionID) -> Bool {
        pointer(to: id) != nil
    }

    /// Gives `id` its value; its slot must be empty.
    @inlinable
    public mutating func insert(_ value: consuming Value, for id: ConnectionID) {
        let place = occupy(id)
        place.initialize(to: value)
    }

    /// Takes the value of `id` out, or gives nil if there is none.
    @inlinable
    public mutating func remove(_ id: ConnectionID) -> Value? {
        guard let place = pointer(to: id) else { return nil }
        vacate(id)
        return place.move()
    }

    /// Calls `body` with every identifier that has a value, in the order of slots. `body` may not add or remove values.
    @inlinable
    public func forEachIdentifier(_ body: (ConnectionID) -> Void) {
        for (slot, generation) in generations.enumerated() where generation != 0 {
            body(ConnectionID(slot: UInt32(slot), generation: generation))
        }
    }

    @usableFromInline
    mutating func occupy(_ id: ConnectionID) -> UnsafeMutablePointer<Value> {
        precondition(id.generation != 0, "Generation 0 marks an empty slot.")
        while generations.count <= id.slot { grow() }
        precondition(generations[id.slot] == 0, "The slot already has a value.")
        generations[id.slot] = id.generation
        count += 1
        return chunks[id.slot / Self.chunkSlots] + id.slot % Self.chunkSlots
    }

    @usableFromInline
    mutating func vacate(_ id: ConnectionID) {
        generations[id.slot] = 0
        count -= 1
    }

    private mutating func grow() {
        chunks.append(.allocate(capacity: Self.chunkSlots))
        generations.append(contentsOf: repeatElement(0, count: Self.chunkSlots))
    }

    deinit {
        for (slot, generation) in generations.enumerated() where generation != 0 {
            (chunks[slot / Self.chunkSlots] + slot % Self.chunkSlots).deinitialize(count: 1)
        }
        for chunk in chunks { chunk.deallocate() }
    }
}
