import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pathsBelow } from '@strata/server/main'
import { bothStores, type FaultKind } from '../fault-kind.ts'
import type { Stage } from '../stage/stage.ts'

const run = promisify(execFile)

/** The credentials of the fleet, with a serving certificate that expired yesterday. */
async function expiredCopy(stage: Stage): Promise<string> {
  const directory = join(stage.directory, 'expired-pki')
  await cp(pathsBelow(stage.dataDir).certDir, directory, { recursive: true })
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: directory })
  await writeFile(
    join(directory, 'names'),
    'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n',
  )
  await openssl('req', '-new', '-key', 'apiserver.key', '-subj', '/CN=kube-apiserver', '-out', 'request')
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '99', '-extfile', 'names']
  await openssl('x509', '-req', '-in', 'request', ...signed, '-days', '-1', '-out', 'apiserver.crt')
  return directory
}

export const expiredCertificate: FaultKind = {
  name: 'expired-certificate',
  summary: 'a server is started again with a serving certificate that has expired',
  stores: bothStores,
  targets: ({ server }) => [server],
  async begin({ stage }, { server }) {
    const settings = stage.settings(server)
    settings.certDir = await expiredCopy(stage)
    await stage.end(server)
    await stage.launch(server)
    return async () => {
      settings.certDir = undefined
      await stage.end(server)
      await stage.launch(server)
    }
  },
}

export const expiredEtcdCertificate: FaultKind = {
  name: 'expired-etcd-certificate',
  summary: 'a server is started again with a client certificate for etcd that has expired',
  stores: ['etcd'],
  targets: ({ server }) => [server],
  async begin({ stage }, { server }) {
    const certificates = stage.home.clientCertificates
    if (!certificates) throw new Error('this store asks for no certificate')
    const restartWith = async (certificate: string): Promise<void> => {
      await writeFile(certificates.fileOf(server), certificate)
      await stage.end(server)
      await stage.launch(server)
    }
    await restartWith(certificates.expired)
    return () => restartWith(certificates.valid)
  },
}
