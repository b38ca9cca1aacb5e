/** A service that a webhook stands behind. */
export interface WebhookService {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/**
 * Where a service is: `https://host:port`. There are no nodes here that would run one, so somebody has to say it.
 * Undefined, or a promise of it, if nobody knows.
 */
export type ServiceResolver = (service: WebhookService) => string | undefined | Promise<string | undefined>

const form = 'expected <namespace>/<name>[:<port>]=https://<host>[:<port>]'

/**
 * A resolver from texts such as `shop/webhook=https://10.0.0.7:9443`, or what is wrong with one of them. With a port
 * behind the name, only that port of the service is meant, and goes before what is said without one.
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
  return ({ namespace, name, port }) =>
    known.get(`${namespace}/${name}:${port}`) ?? known.get(`${namespace}/${name}`)
}

/** The address, if it is nothing but scheme, host and port: path and names come from the webhook's configuration. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { origin, pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && `${search}${hash}${username}${password}` === '' ? origin : undefined
}
