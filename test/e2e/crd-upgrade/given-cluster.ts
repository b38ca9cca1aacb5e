import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerAccess } from '../../golden/served-store.ts'
import { kubectl } from '../../support/kubectl.ts'

const decoded = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, 'base64').toString()

/** A cluster that is there already, by the current context of a kubeconfig with a token or a client certificate. */
export async function givenCluster(kubeconfig: string): Promise<ServerAccess> {
  const home = await mkdtemp(join(tmpdir(), 'strata-given-'))
  try {
    const view = ['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']
    const { code, stdout, stderr } = await kubectl(view, { kubeconfig, home })
    assert.equal(code, 0, stderr)
    const { clusters, users } = JSON.parse(stdout)
    const { server, 'certificate-authority-data': ca } = clusters[0].cluster
    const { token, 'client-certificate-data': cert, 'client-key-data': key } = users[0].user
    assert.ok(token ?? cert, `${kubeconfig}: give it a token or a client certificate`)
    return {
      ...{ kubeconfig, url: server, ca: decoded(ca) ?? '', token: token ?? '' },
      ...(cert === undefined ? {} : { client: { cert: decoded(cert) ?? '', key: decoded(key) ?? '' } }),
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
