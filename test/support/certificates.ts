import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A certificate authority with one server on the loopback and one client, as PEM and as files. */
export interface Certificates {
  readonly ca: string
  readonly clientCert: string
  readonly clientKey: string
  readonly caFile: string
  readonly serverCertFile: string
  readonly serverKeyFile: string
  readonly clientCertFile: string
  readonly clientKeyFile: string
  /** The client's certificate as it will be: one for the same key, which expired yesterday, as PEM. */
  issueExpiredClient(): Promise<string>
  remove(): Promise<void>
}

/** `names` are those that the server has besides; some may be addresses. */
export async function createCertificates(names: readonly string[] = []): Promise<Certificates> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-certificates-'))
  const file = (name: string): string => join(directory, name)
  const openssl = (...flags: string[]): Promise<unknown> => run('openssl', flags, { cwd: directory })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const sign = async (name: string, days: number, out: string): Promise<void> => {
    const from = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-CAserial', `${out}.srl`]
    const asked = ['-in', `${name}.csr`, '-extfile', `${name}.ext`]
    await openssl('x509', '-req', ...asked, ...from, '-days', String(days), '-out', out)
  }
  const issue = async (name: string, extensions: string): Promise<void> => {
    await writeFile(file(`${name}.ext`), extensions)
    await openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    await sign(name, 2, `${name}.crt`)
  }
  await openssl(
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=test authority',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  )
  // etcd's gateway is a client of its own server and uses the server's certificate for it.
  const all = [
    'IP:127.0.0.1',
    'DNS:localhost',
    ...names.map((each) => `${isIP(each) ? 'IP' : 'DNS'}:${each}`),
  ].join(',')
  await issue('server', `subjectAltName=${all}\nextendedKeyUsage=serverAuth,clientAuth\n`)
  await issue('client', 'extendedKeyUsage=clientAuth\n')
  const text = (name: string): Promise<string> => readFile(file(name), 'utf8')
  return {
    ca: await text('ca.crt'),
    clientCert: await text('client.crt'),
    clientKey: await text('client.key'),
    caFile: file('ca.crt'),
    serverCertFile: file('server.crt'),
    serverKeyFile: file('server.key'),
    clientCertFile: file('client.crt'),
    clientKeyFile: file('client.key'),
    async issueExpiredClient() {
      await sign('client', -1, 'expired.crt')
      return text('expired.crt')
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
