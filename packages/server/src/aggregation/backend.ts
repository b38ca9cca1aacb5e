import type { ApiService } from '@strata/api'
import type { ServicePort } from '../services/index.ts'

/** The server of one API version, as its APIService names it. */
export interface Backend {
  /** The name of the APIService. */
  readonly name: string
  readonly group: string
  readonly versionName: string
  readonly service: ServicePort
  /** In PEM. Without it, the certificate must be signed by an authority of the system. */
  readonly ca: string | undefined
  readonly isUnverified: boolean
}

/** Undefined for an APIService that is served here. */
export function backendOf({ metadata, spec }: ApiService): Backend | undefined {
  const { group = '', version: versionName = '', service, caBundle, insecureSkipTLSVerify = false } = spec
  if (!service) return undefined
  const { namespace = '', name = '', port = 443 } = service
  const pem = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : ''
  return {
    ...{ name: metadata.name ?? '', group, versionName, service: { namespace, name, port } },
    ca: pem.trim() === '' ? undefined : pem,
    isUnverified: insecureSkipTLSVerify,
  }
}

/** The name that the certificate of the backend must have. */
export const serverNameOf = ({ service }: Backend): string => `${service.name}.${service.namespace}.svc`

/** The document that every API server has for each of its versions. */
export const discoveryPath = ({ group, versionName }: Backend): string =>
  group === '' ? `/api/${versionName}` : `/apis/${group}/${versionName}`
