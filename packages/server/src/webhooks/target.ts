import type { WebhookClientConfig } from '@strata/api'
import type { ServiceResolver } from './service-resolver.ts'

/** Where a request to a webhook goes. */
export interface WebhookTarget {
  /** `https://host:port/path`. */
  readonly url: string
  /** As it stands in messages: of a service, the name that it would have inside a cluster. */
  readonly shownUrl: string
  readonly ca?: string
  /** Whom the certificate must name, where that is not the host of the address. */
  readonly serverName?: string
  readonly hostHeader?: string
}

const defaultPort = 443

/** The target as it is configured, or why there is none. Asks for the place of a service once for each request. */
export async function findTarget(
  { url, service, caBundle }: WebhookClientConfig,
  resolve: ServiceResolver,
): Promise<WebhookTarget | { readonly shownUrl: string; readonly problem: string }> {
  const ca = pemOf(caBundle)
  const trusted = ca === undefined ? {} : { ca }
  if (url !== undefined) {
    if (!URL.canParse(url)) return { shownUrl: url, problem: 'the URL of the webhook cannot be parsed' }
    const { origin, pathname } = new URL(url)
    const clean = origin + cleanPath(pathname)
    return { url: clean, shownUrl: clean, ...trusted }
  }
  const { namespace = '', name = '', path = '', port = defaultPort } = service ?? {}
  const serverName = `${name}.${namespace}.svc`
  const hostHeader = `${serverName}:${port}`
  const shownUrl = `https://${hostHeader}${cleanPath(path)}`
  const origin = await resolve({ namespace, name, port })
  if (origin === undefined) {
    const how = `--webhook-service ${namespace}/${name}=https://<host>:<port>`
    const problem = `service ${JSON.stringify(name)} not found: this server has no address of the service; start it with ${how}`
    return { shownUrl, problem }
  }
  return { url: origin + cleanPath(path), shownUrl, ...trusted, serverName, hostHeader }
}

/** What is only white space says nothing. */
function pemOf(caBundle: string | undefined): string | undefined {
  if (!caBundle) return undefined
  const pem = Buffer.from(caBundle, 'base64').toString('utf8')
  return pem.trim() === '' ? undefined : pem
}

/** As upstream's client joins paths: without empty parts, and without a slash at the end. */
function cleanPath(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`
}
