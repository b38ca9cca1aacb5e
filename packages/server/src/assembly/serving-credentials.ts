import { X509Certificate } from 'node:crypto'
import type { World } from '@strata/world'
import { ConfigurationProblem, readClientIdentity } from '../configuration/index.ts'
import { ensureCredentials, type FleetCredentials } from '../credentials/index.ts'
import type { ServeOptions } from './serve-options.ts'

type ServingOptions = Pick<
  ServeOptions,
  'certDir' | 'tlsCertFile' | 'tlsPrivateKeyFile' | 'serviceName' | 'aggregator'
>

/** The credentials of the fleet, with the serving certificate of the flags if they name one. */
export async function servingCredentials(options: ServingOptions, world: World): Promise<FleetCredentials> {
  const { certDir, tlsCertFile, tlsPrivateKeyFile } = options
  const hostname = hostnameOf(options.serviceName)
  const given = await readClientIdentity(
    ['--tls-cert-file', tlsCertFile],
    ['--tls-private-key-file', tlsPrivateKeyFile],
  )
  const credentials = await ensureCredentials(certDir, world, hostname === undefined ? [] : [hostname])
  const tls = given ?? credentials.tls
  // Otherwise the aggregator would find out, and say so in the condition of the APIService only.
  if (hostname !== undefined && new X509Certificate(tls.cert).checkHost(hostname) === undefined) {
    throw new ConfigurationProblem(
      tlsCertFile === undefined
        ? `--service-name ${options.serviceName}: the serving certificate in ${certDir} is not for ${hostname}; remove the directory, and the server creates it again, or give --tls-cert-file`
        : `--service-name ${options.serviceName}: the certificate in --tls-cert-file ${tlsCertFile} is not for ${hostname}`,
    )
  }
  if (options.aggregator && hostname === undefined && !isForService(tls.cert)) {
    world.log.warn(
      'the serving certificate is not for a Service, so aggregators refuse this server, except with insecureSkipTLSVerify in its APIServices; name its Service with --service-name namespace/name',
      { certificate: tlsCertFile ?? certDir },
    )
  }
  return { ...credentials, tls }
}

/** Aggregators connect by the name `<name>.<namespace>.svc`. Every certificate is also for the Service of the API itself. */
function isForService(cert: string): boolean {
  const names = (new X509Certificate(cert).subjectAltName ?? '').split(', ')
  return names.some((each) => each.endsWith('.svc') && each !== 'DNS:kubernetes.default.svc')
}

function hostnameOf(service: string | undefined): string | undefined {
  if (service === undefined) return undefined
  const [namespace = '', name = '', ...more] = service.split('/')
  if (namespace === '' || name === '' || more.length > 0)
    throw new ConfigurationProblem(
      `--service-name ${service}: write it as namespace/name, as in spec.service of the APIService`,
    )
  return `${name}.${namespace}.svc`
}
