/** A port of a service, as a webhook or an APIService names it. */
export interface ServicePort {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/**
 * The address of a service: `https://host:port`. There are no nodes here that would run one, so an operator must configure it.
 * Undefined, or a promise of it, if it is unknown.
 */
export interface ServiceResolver {
  (service: ServicePort): string | undefined | Promise<string | undefined>
  /** Whether the service has an address on any port; without it, an unknown port counts as an unknown service. */
  readonly hasService?: (service: Omit<ServicePort, 'port'>) => boolean
}

const form = 'expected <namespace>/<name>[:<port>]=https://<host>[:<port>]'

/**
 * A resolver from texts such as `shop/webhook=https://10.0.0.7:9443`, or the problem of one of them. With a port after the name,
 * the text is for that port of the service only, and takes precedence over one without.
 */
export function parseServiceMappings(
  texts: readonly string[],
): ServiceResolver | { readonly problem: string } {
  const known = new Map<string, string>()
  for (const text of texts) {
    const [, service, target] = /^([^/=:]+\/[^/=:]+(?::\d{1,5})?)=(https:\/\/.+)$/.exec(text) ?? []
    const origin = target === undefined ? undefined : originOf(target)
    if (service === undefined || origin === undefined) {
      return { problem: `${JSON.stringify(text)} names no target of a service: ${form}` }
    }
    if (known.has(service)) return { problem: `${service} is given twice` }
    known.set(service, origin)
  }
  const names = new Set([...known.keys()].map((each) => each.replace(/:\d+$/, '')))
  return Object.assign(
    ({ namespace, name, port }: ServicePort) =>
      known.get(`${namespace}/${name}:${port}`) ?? known.get(`${namespace}/${name}`),
    { hasService: ({ namespace, name }: Omit<ServicePort, 'port'>) => names.has(`${namespace}/${name}`) },
  )
}

/** The address, if it has only scheme, host and port: the path comes from the webhook's configuration or the request. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { origin, pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && `${search}${hash}${username}${password}` === '' ? origin : undefined
}
