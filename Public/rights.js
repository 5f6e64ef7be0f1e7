// What the page can know of the user's rights, to offer only what may work. The server is the judge.

/** `"owner"`, `"editor"` or `"viewer"`. @param app gives `session.user` and `permissions`, the user's own. */
export function roleIn(project, { session, permissions }) {
  const user = session.user;
  if (!user) return "viewer";
  if (user.isAdmin || project.owner === user.userId) return "owner";
  const permission = permissions.objects.find(({ projectId }) => projectId === project.projectId);
  const roles = [permission?.role, project.access === "everyone-write" ? "editor" : null];
  for (const role of ["owner", "editor"]) if (roles.includes(role)) return role;
  // A project that is seen without a known reason: its permission may still be on its way.
  return permissions.isComplete ? "viewer" : "editor";
}
