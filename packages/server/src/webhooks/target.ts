import type { WebhookClientConfig } from '@strata/api'
import type { ServiceResolver } from '../services/index.ts'

/** The target of a request to a webhook. */
export interface WebhookTarget {
  /** `https://host:port/path`. */
  readonly url: string
  /** The URL in messages: for a service, its name inside a cluster. */
  readonly shownUrl: string
  readonly ca?: string | undefined
  /** The name that the certificate must have, if it is not the host of the URL. */
  readonly serverName?: string
  readonly hostHeader?: string
}

const defaultPort = 443

/** The configured target, or why there is none. Resolves a service once per request. */
export async function findTarget(
  { url, service, caBundle }: WebhookClientConfig,
  resolve: ServiceResolver,
): Promise<WebhookTarget | { readonly shownUrl: string; readonly problem: string }> {
  const ca = pemOf(caBundle)
  if (url !== undefined) {
    if (!URL.canParse(url)) return { shownUrl: url, problem: 'the URL of the webhook cannot be parsed' }
    const { origin, pathname } = new URL(url)
    const clean = origin + cleanPath(pathname)
    return { url: clean, shownUrl: clean, ca }
  }
  const { namespace = '', name = '', path = '', port = defaultPort } = service ?? {}
  const serverName = `${name}.${namespace}.svc`
  const hostHeader = `${serverName}:${port}`
  const shownUrl = `https://${hostHeader}${cleanPath(path)}`
  const origin = await resolve({ namespace, name, port })
  if (origin === undefined) {
    const how = `--service-address ${namespace}/${name}=https://<host>:<port>`
    const problem = `service ${JSON.stringify(name)} not found: this server has no address of the service; start it with ${how}`
    return { shownUrl, problem }
  }
  return { url: origin + cleanPath(path), shownUrl, ca, serverName, hostHeader }
}

/** White space counts as empty. */
function pemOf(caBundle: string | undefined): string | undefined {
  if (!caBundle) return undefined
  const pem = Buffer.from(caBundle, 'base64').toString('utf8')
  return pem.trim() === '' ? undefined : pem
}

/** Joins paths like upstream's client: without empty parts, and without a final slash. */
function cleanPath(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`
}
