/** What an address names: `/dashboard/agreement/beacons.lighthouse.example.dev?filter=…`. */
export interface Route {
  readonly view: string
  /** A resource, a migration, a scene: what the view opens. */
  readonly item: string | undefined
  readonly query: Readonly<Record<string, string>>
}

const basePath = '/dashboard/'

/** Reads an address. Any text may stand there; an unknown view is the first one. */
export function readRoute(path: string, search: string, views: readonly string[]): Route {
  const [name = '', ...rest] = path.startsWith(basePath) ? path.slice(basePath.length).split('/') : []
  const view = views.includes(name) ? name : (views[0] ?? '')
  const item = rest.map(decode).join('/')
  return {
    view,
    item: view !== name || item === '' ? undefined : item,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

export function routePath({ view, item, query }: Route): string {
  const search = new URLSearchParams(query).toString()
  const place = item === undefined ? view : `${view}/${item.split('/').map(encodeURIComponent).join('/')}`
  return `${basePath}${place}${search === '' ? '' : `?${search}`}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
