/** The names of a path's parameters: `slug` for `/l/:slug`. */
type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Bare<Name> | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Bare<Name>
    : never

/** A parameter's name without a file extension behind it. */
type Bare<Name extends string> = Name extends `${infer Before}.${string}` ? Before : Name

type Params<Path extends string> = Record<Names<Path>, string | number>

/** A page or one of its forms: registered by its path, linked by its address. */
interface Route<Path extends string> {
  path: Path
  /** The path up to its first parameter. */
  start: string
  /** The path in OpenAPI's notation: `/l/{slug}`. */
  template: string
  /** The address without the origin, which needs no further escaping in HTML. */
  href(...params: [Names<Path>] extends [never] ? [] : [Params<Path>]): string
}

function at<Path extends `/${string}`>(path: Path): Route<Path> {
  // Text and names alternate.
  const pieces = path.split(/:(\w+)/)
  const written = (textOf: (name: Names<Path>) => string) =>
    pieces.map((piece, index) => (index % 2 === 0 ? piece : textOf(piece as Names<Path>))).join('')
  return {
    path,
    start: pieces[0] ?? '',
    template: written((name) => `{${name}}`),
    href: (...[params]) => written((name) => encodeURIComponent(String((params as Params<Path>)[name]))),
  }
}

/** Every page of the service and every form on one: routes are registered and links are written from this table. */
export const routes = {
  home: at('/'),
  paste: at('/new'),
  away: at('/away'),
  privacy: at('/privacy'),
  made: at('/made/:sealed'),
  found: at('/found'),
  foundTitles: at('/found/titles'),
  icon: at('/icons/:icon'),
  static: at('/static/:file'),
  docs: {
    reference: at('/docs'),
    guide: at('/docs/:guide'),
    markdown: at('/docs/:guide.md'),
    picture: at('/docs/pictures/:picture'),
  },
  launcher: {
    page: at('/l/:slug'),
    filled: at('/l/:slug/:value'),
    json: at('/l/:slug.json'),
    markdown: at('/l/:slug.md'),
    feed: at('/l/:slug/feed'),
    qr: at('/l/:slug/qr.svg'),
    search: at('/l/:slug/opensearch.xml'),
    picture: at('/l/:slug/picture.png'),
    bookmarks: at('/l/:slug/bookmarks.html'),
    calendar: at('/l/:slug/calendar.ics'),
    remind: at('/l/:slug/remind'),
    copy: at('/l/:slug/copy'),
    report: at('/l/:slug/report'),
  },
  startPage: {
    page: at('/o/:handle'),
    json: at('/o/:handle.json'),
    md: at('/o/:handle.md'),
    feed: at('/o/:handle/feed'),
  },
  account: {
    signIn: at('/sign-in'),
    signUp: at('/sign-up'),
    oidc: at('/sign-in/oidc'),
    signOut: at('/sign-out'),
    mailLink: at('/sign-in/link'),
    mailedLink: at('/sign-in/link/:token'),
    confirm: at('/confirm/:token'),
    password: at('/password/:token'),
    claim: at('/claim/:token'),
    claims: at('/claims'),
    invitation: at('/invitations/:id'),
    join: at('/invitations/:id/:secret'),
    unsubscribe: at('/unsubscribe/:token'),
    authorize: at('/oauth/authorize'),
    device: at('/device'),
  },
  bundles: {
    list: at('/dashboard'),
    bulk: at('/dashboard/bulk'),
    bulkMove: at('/dashboard/bulk/move'),
    sort: at('/dashboard/sort'),
    replace: at('/dashboard/replace'),
    examples: at('/dashboard/links/examples'),
    import: at('/dashboard/links/import'),
  },
  newBundle: {
    page: at('/dashboard/links/new'),
    preview: at('/dashboard/links/new/preview'),
  },
  bundle: {
    edit: at('/dashboard/links/:slug'),
    delete: at('/dashboard/links/:slug/delete'),
    move: at('/dashboard/links/:slug/move'),
    rename: at('/dashboard/links/:slug/rename'),
    pin: at('/dashboard/links/:slug/pin'),
    unpin: at('/dashboard/links/:slug/unpin'),
    restore: at('/dashboard/links/:slug/restore'),
    rules: at('/dashboard/links/:slug/policy'),
    clearRules: at('/dashboard/links/:slug/policy/clear'),
    versions: at('/dashboard/links/:slug/versions'),
    restoreVersion: at('/dashboard/links/:slug/versions/:versionNumber/restore'),
    suggest: at('/dashboard/links/:slug/suggest'),
    proposals: at('/dashboard/links/:slug/proposals'),
    proposal: at('/dashboard/links/:slug/proposals/:id'),
    editProposal: at('/dashboard/links/:slug/proposals/:id/edit'),
    accept: at('/dashboard/links/:slug/proposals/:id/accept'),
    reject: at('/dashboard/links/:slug/proposals/:id/reject'),
    withdraw: at('/dashboard/links/:slug/proposals/:id/withdraw'),
    insights: at('/dashboard/links/:slug/insights'),
    export: {
      json: at('/dashboard/links/:slug/export.json'),
      csv: at('/dashboard/links/:slug/export.csv'),
      html: at('/dashboard/links/:slug/export.html'),
    },
  },
  preview: at('/dashboard/preview'),
  proposals: at('/dashboard/proposals'),
  overview: at('/dashboard/overview'),
  keys: {
    list: at('/dashboard/keys'),
    new: at('/dashboard/keys/new'),
    rotate: at('/dashboard/keys/:id/rotate'),
    revoke: at('/dashboard/keys/:id/revoke'),
  },
  webhooks: {
    list: at('/dashboard/webhooks'),
    new: at('/dashboard/webhooks/new'),
    webhook: at('/dashboard/webhooks/:webhookId'),
    edit: at('/dashboard/webhooks/:webhookId/edit'),
    state: at('/dashboard/webhooks/:webhookId/state'),
    test: at('/dashboard/webhooks/:webhookId/test'),
    redeliver: at('/dashboard/webhooks/:webhookId/deliveries/:deliveryId/redeliver'),
    rotate: at('/dashboard/webhooks/:webhookId/rotate'),
    delete: at('/dashboard/webhooks/:webhookId/delete'),
  },
  organizations: {
    list: at('/dashboard/organizations'),
    organization: at('/dashboard/organizations/:id'),
    activity: at('/dashboard/organizations/:id/activity'),
    activityTable: at('/dashboard/organizations/:id/activity.csv'),
    move: at('/dashboard/organizations/:id/move'),
    leave: at('/dashboard/organizations/:id/leave'),
    delete: at('/dashboard/organizations/:id/delete'),
    cancelInvitation: at('/dashboard/organizations/:id/invitations/:invitation/cancel'),
    changeRole: at('/dashboard/organizations/:id/members/:member/role'),
    removeMember: at('/dashboard/organizations/:id/members/:member/remove'),
  },
  settings: {
    page: at('/dashboard/settings'),
    activity: at('/dashboard/settings/activity'),
    activityTable: at('/dashboard/settings/activity.csv'),
    delete: at('/dashboard/settings/delete'),
    endSession: at('/dashboard/settings/sessions/:id/end'),
    endSessions: at('/dashboard/settings/sessions/end'),
  },
  subject: at('/dashboard/subject'),
} as const
