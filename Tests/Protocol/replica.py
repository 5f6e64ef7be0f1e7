"""A list kept from `initial` and `change` messages alone, which fails on any message that breaks their rules."""

import bisect


def key_field(an_object):
    """The name of the primary key, told from the fields that only one class has."""
    for key, mark in (
        ("presenceId", "presenceId"),
        ("permissionId", "permissionId"),
        ("itemId", "itemId"),
        ("projectId", "itemCount"),
        ("userId", "isAdmin"),
    ):
        if mark in an_object:
            return key
    raise AssertionError(f"an object of no known class: {an_object}")


def fewest_moves(before, after, may_move):
    """How many rows must move from the order `before` to the order `after` if only those in `may_move` can.

    Both are lists of the same keys. Rows outside `may_move` must stand in the same order in both.
    """
    place = {key: index for index, key in enumerate(after)}
    order = [place[key] for key in before]
    fixed = [key not in may_move for key in before]
    standing = [p for p, f in zip(order, fixed) if f]
    assert standing == sorted(standing), "rows whose sort keys are unchanged changed their order"
    top, tops = -1, []
    for p, f in zip(order, fixed):
        tops.append(top)
        top = max(top, p) if f else top
    bottom, bottoms = len(order), []
    for p, f in zip(reversed(order), reversed(fixed)):
        bottoms.append(bottom)
        bottom = min(bottom, p) if f else bottom
    bottoms.reverse()
    tails = []
    for p, f, low, high in zip(order, fixed, tops, bottoms):
        if f or low < p < high:
            at = bisect.bisect_left(tails, p)
            tails[at : at + 1] = [p]
    return len(order) - len(tails)


class LiveList:
    def __init__(self, name, objects=None, version=None, sort=()):
        self.name = name
        self.objects = [dict(o) for o in objects or []]
        self.version = version
        self.next_sort = list(sort)
        self.sort_fields = self._fields(sort)
        self.state = "pending"
        self.result = None
        self.parts = 0
        self.starts = 0

    @property
    def is_complete(self):
        return self.state == "complete"

    @property
    def keys(self):
        return [self._key(o) for o in self.objects]

    @staticmethod
    def _key(an_object):
        return an_object[key_field(an_object)]

    @staticmethod
    def _fields(sort):
        return {name.lstrip("-").split("[")[0] for name in sort}

    # initial

    def apply_initial(self, part):
        assert set(part) - {"version"} == {"name", "index", "objects", "state"}, part.keys()
        assert part["name"] == self.name
        assert part["state"] in ("pending", "complete"), part["state"]
        assert ("version" in part) == (part["state"] == "complete"), "a version belongs to the last part, and only there"
        if part["index"] == 0:
            self.objects = []
            self.parts = 0
            self.starts += 1
            self.sort_fields = self._fields(self.next_sort)
            self.state = "pending"
        assert self.state == "pending", "a further part came after the list was complete"
        assert part["index"] == len(self.objects), f"part at {part['index']}, but {len(self.objects)} rows came so far"
        assert part["objects"] or part["index"] == 0, "an empty part of a list that has rows"
        self.objects += [dict(o) for o in part["objects"]]
        self.parts += 1
        if part["state"] == "complete":
            self.state = "complete"
            assert type(part["version"]) is int
            self.version = part["version"]
        assert len(set(self.keys)) == len(self.objects), "a key twice in one list"

    # change

    def apply_change(self, update, version):
        assert {"name"} <= set(update) <= {"name", "deletions", "insertions", "modifications", "state"}, update.keys()
        assert update["name"] == self.name
        resumed = "state" in update
        if resumed:
            assert update["state"] == "complete" and self.state == "pending", "state comes once, on resuming"
            assert self.version is not None, "a list was resumed that was never known"
            self.state = "complete"
        assert self.is_complete, "a change names a list that is not complete"
        assert version >= self.version, f"the list's version fell from {self.version} to {version}"
        deletions = update.get("deletions", [])
        insertions = update.get("insertions", [])
        modifications = update.get("modifications", [])
        assert resumed or deletions or insertions or modifications, "an update that says nothing"
        self._check_shape(deletions, insertions, modifications)
        self._apply(deletions, insertions, modifications)
        self.version = version

    def _check_shape(self, deletions, insertions, modifications):
        before, after = len(self.objects), len(self.objects) - len(deletions) + len(insertions)
        _ascends("deletions", deletions, before)
        _ascends("insertions", [i["index"] for i in insertions], after)
        _ascends("modifications", [m["index"] for m in modifications], after)
        for insertion in insertions:
            assert set(insertion) in ({"index", "object"}, {"index", "from", "set"}), insertion
        for modification in modifications:
            assert {"index", "set"} <= set(modification) <= {"index", "from", "set"}, modification
            assert modification["set"], f"a modification that changes nothing: {modification}"
            assert modification.get("from") != modification["index"], f"`from` is left out where equal: {modification}"
        origins = [i["from"] for i in insertions if "from" in i]
        assert len(origins) == len(set(origins)), "two rows moved from one place"
        assert set(origins) <= set(deletions), f"moved from {origins}, but deleted {deletions}"
        was = [m.get("from", m["index"]) for m in modifications]
        _ascends("the places modifications come from", was, before)
        assert not set(was) & set(deletions), "a row is modified and deleted"
        inserted = {i["index"] for i in insertions}
        assert not {m["index"] for m in modifications} & inserted, "a row is modified and inserted"

    def _apply(self, deletions, insertions, modifications):
        old = self.objects
        old_keys = self.keys
        new = list(old)
        for index in reversed(deletions):
            del new[index]
        changed = set()
        for insertion in insertions:
            if "object" in insertion:
                row = dict(insertion["object"])
            else:
                row = dict(old[insertion["from"]])
                self._merge(row, insertion["set"], changed)
                assert self._fields_changed(insertion["set"]), f"a row moved whose sort keys did not change: {insertion}"
            new.insert(insertion["index"], row)
        for modification in modifications:
            index = modification["index"]
            came_from = modification.get("from", index)
            assert self._key(new[index]) == old_keys[came_from], f"`from` {came_from} is another row than {index}"
            row = dict(new[index])
            self._merge(row, modification["set"], changed)
            new[index] = row
        self.objects = new
        keys = self.keys
        assert len(set(keys)) == len(keys), "a key twice in one list"
        moved = {old_keys[i["from"]] for i in insertions if "from" in i}
        left = {old_keys[i] for i in deletions} - moved
        entered = {self._key(i["object"]) for i in insertions if "object" in i}
        assert not left & entered, f"left and entered in one message, which is a move or a modification: {left & entered}"
        stayed = set(old_keys) & set(keys)
        fewest = fewest_moves([k for k in old_keys if k in stayed], [k for k in keys if k in stayed], changed)
        assert len(moved) == fewest, f"{len(moved)} rows moved where {fewest} would do"

    def _fields_changed(self, fields):
        return self.sort_fields & set(fields)

    def _merge(self, row, fields, changed):
        key = key_field(row)
        assert key not in fields, f"a change sets the key {key}"
        for name, value in fields.items():
            assert name in row, f"a change sets an unknown field {name}"
            assert not _same(row[name], value), f"{name} is sent though it did not change: {value!r}"
        row.update(fields)
        if self._fields_changed(fields):
            changed.add(row[key])


def _same(a, b):
    return type(a) is type(b) and a == b


def _ascends(what, indices, end):
    for index in indices:
        assert type(index) is int and 0 <= index < end, f"{what}: {index} is not within 0..<{end}"
    assert all(a < b for a, b in zip(indices, indices[1:])), f"{what} do not ascend: {indices}"
