"""A naive model of the store in plain Python: what each user sees, what each change does, and why it is refused.

It knows nothing of lists and diffs. Lists are compared with `evaluate`, a filter as a Python function and a sort done
anew each time.
"""

import copy
import functools

UNSEEN, FORBIDDEN, CONFLICT = -32003, -32002, -32004
KEY = {"Project": "projectId", "Item": "itemId", "Permission": "permissionId", "User": "userId"}


class Refused(Exception):
    def __init__(self, code):
        super().__init__(str(code))
        self.code = code


class World:
    def __init__(self):
        self.users = {}  # id → name
        self.projects = {}  # id → {name, access, creator}
        self.items = {}  # id → {projectId, body, isDone, dueDate, notes, priority, createdBy}
        self.order = {}  # project id → item ids as they stand
        self.roles = {}  # project id → {user id: role}, the oldest first

    # What a user sees and may do

    def rank(self, user, project):
        """0 sees nothing, 1 views, 2 edits, 3 owns."""
        if project not in self.projects:
            return 0
        by_access = {"private": 0, "everyone-read": 1, "everyone-write": 2}[self.projects[project]["access"]]
        by_role = {None: 0, "viewer": 1, "editor": 2, "owner": 3}[self.roles[project].get(user)]
        return max(by_access, by_role)

    def require(self, user, project, rank):
        if not self.rank(user, project):
            raise Refused(UNSEEN)
        if self.rank(user, project) < rank:
            raise Refused(FORBIDDEN)

    def owner(self, project):
        creator = self.projects[project]["creator"]
        owners = [u for u, role in self.roles[project].items() if role == "owner"]
        return creator if creator in owners else owners[0]

    def visible(self, user, class_):
        """{key: fields that the model knows} of all that the user sees."""
        seen = [p for p in self.projects if self.rank(user, p)]
        if class_ == "Project":
            return {p: self._project(p) for p in seen}
        if class_ == "Item":
            return {i: {"itemId": i, **self.items[i]} for p in seen for i in self.order[p]}
        if class_ == "Permission":
            return {
                f"{p}:{u}": {"permissionId": f"{p}:{u}", "projectId": p, "userId": u, "role": role}
                for p in seen
                for u, role in self.roles[p].items()
            }
        met = {user} | {u for p in seen for u in self.roles[p]}
        return {u: {"userId": u, "name": self.users[u], "isAdmin": False} for u in met}

    def _project(self, p):
        items = [self.items[i] for i in self.order[p]]
        return {
            "projectId": p, "name": self.projects[p]["name"], "access": self.projects[p]["access"], "owner": self.owner(p),
            "itemCount": len(items), "openCount": sum(not i["isDone"] for i in items),
        }  # fmt: skip

    # Transactions

    def write(self, user, changes):
        """Applies all changes, or raises `Refused` with everything as it was."""
        before = copy.deepcopy(self.__dict__)
        try:
            for change in changes:
                self._apply(user, change)
        except Refused:
            self.__dict__.update(before)
            raise

    def _apply(self, user, change):
        for verb in ("create", "update", "upsert", "delete", "move"):
            if verb in change:
                name = f"_{verb}_{change[verb].lower()}"
                if "filter" in change:
                    return self._by_filter(user, change)
                return getattr(self, name)(user, change)
        raise AssertionError(change)

    def _by_filter(self, user, change):
        matches = [i for i, item in self.visible(user, "Item").items() if change["test"](item) and self.rank(user, item["projectId"]) >= 2]
        for key in matches:
            if "delete" in change:
                self._remove(key)
            else:
                self.items[key].update(change["set"])

    def _create_project(self, user, change):
        fields = change["object"]
        key = fields["projectId"]
        if key in self.projects:
            raise Refused(CONFLICT)
        self.projects[key] = {"name": fields["name"], "access": fields.get("access", "private"), "creator": user}
        self.order[key] = []
        self.roles[key] = {user: "owner"}

    def _update_project(self, user, change):
        self.require(user, change["id"], 3 if "access" in change["set"] else 2)
        self.projects[change["id"]].update(change["set"])

    def _delete_project(self, user, change):
        key = change["id"]
        self.require(user, key, 3)
        for item in self.order.pop(key):
            del self.items[item]
        del self.projects[key], self.roles[key]

    def _create_item(self, user, change):
        fields = change["object"]
        self.require(user, fields["projectId"], 2)
        if fields["itemId"] in self.items:
            raise Refused(CONFLICT)
        item = {"isDone": False, "dueDate": None, "notes": "", "priority": 0, "createdBy": user, **fields}
        key = item.pop("itemId")
        self.items[key] = item
        self.order[item["projectId"]].append(key)

    def _upsert_item(self, user, change):
        key = change["object"]["itemId"]
        if key in self.items and self.rank(user, self.items[key]["projectId"]):
            fields = {k: v for k, v in change["object"].items() if k != "itemId"}
            return self._update_item(user, {"id": key, "set": fields})
        return self._create_item(user, change)

    def _sees_item(self, user, key):
        if key not in self.items or not self.rank(user, self.items[key]["projectId"]):
            raise Refused(UNSEEN)

    def _update_item(self, user, change):
        key, fields = change["id"], change["set"]
        self._sees_item(user, key)
        source = self.items[key]["projectId"]
        target = fields.get("projectId", source)
        if not self.rank(user, target):
            raise Refused(UNSEEN)
        self.require(user, source, 2)
        self.require(user, target, 2)
        if any(self.items[key][name] != value for name, value in change.get("if", {}).items()):
            raise Refused(CONFLICT)
        self.items[key].update(fields)
        if target != source:
            self.order[source].remove(key)
            self.order[target].append(key)

    def _remove(self, key):
        self.order[self.items[key]["projectId"]].remove(key)
        del self.items[key]

    def _delete_item(self, user, change):
        self._sees_item(user, change["id"])
        self.require(user, self.items[change["id"]]["projectId"], 2)
        self._remove(change["id"])

    def _move_item(self, user, change):
        key = change["id"]
        self._sees_item(user, key)
        beside = change.get("before") or change.get("after")
        if beside:
            self._sees_item(user, beside)
        project = self.items[key]["projectId"]
        self.require(user, project, 2)
        if beside and self.items[beside]["projectId"] != project:
            raise Refused(CONFLICT)
        order = self.order[project]
        order.remove(key)
        if beside:
            order.insert(order.index(beside) + ("after" in change), key)
        else:
            order.insert(0 if change["to"] == "start" else len(order), key)

    def _upsert_permission(self, user, change):
        project, holder, role = (change["object"][k] for k in ("projectId", "userId", "role"))
        self.require(user, project, 3)
        roles = self.roles[project]
        if role != "owner" and [u for u, r in roles.items() if r == "owner"] == [holder]:
            raise Refused(CONFLICT)
        roles[holder] = role

    def _delete_permission(self, user, change):
        project, holder = change["id"].split(":")
        if not self.rank(user, project) or holder not in self.roles[project]:
            raise Refused(UNSEEN)
        if holder != user:
            self.require(user, project, 3)
        if [u for u, r in self.roles[project].items() if r == "owner"] == [holder]:
            raise Refused(CONFLICT)
        del self.roles[project][holder]


def evaluate(objects, class_, test, sort, limit=None):
    """The list that a query over `objects` must give, as keys."""
    rows = [o for o in objects if test(o)]

    def compare(a, b):
        for field in sort:
            name = field.lstrip("-").removesuffix("[c]")
            x, y = a[name], b[name]
            if field.endswith("[c]"):
                x, y = x and x.casefold(), y and y.casefold()
            if x != y:
                less = x is None or (y is not None and x < y)
                return -1 if less != field.startswith("-") else 1
        return -1 if a[KEY[class_]] < b[KEY[class_]] else 1

    rows.sort(key=functools.cmp_to_key(compare))
    return [o[KEY[class_]] for o in rows[:limit]]
