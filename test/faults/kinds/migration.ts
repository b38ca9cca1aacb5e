import { StrataProcess } from '../../support/serve-process.ts'
import { bothStores, type FaultContext, type FaultKind } from '../fault-kind.ts'
import { serverNames } from '../stage/network.ts'
import { otherRelease } from './upgrade.ts'

const resource = 'beacons.lighthouse.example.dev'

/** Rolls the servers to one release, one after the other, as an operator does. */
export async function rollTo({ stage }: FaultContext, release: string): Promise<void> {
  for (const name of serverNames) {
    const settings = stage.settings(name)
    if (settings.release === release && stage.running(name)) continue
    settings.release = release
    await stage.end(name)
    await stage.untilWhole()
  }
}

/** `strata migrate`: true if it says that nothing is left in another version or under another key, and that this is proven. */
export async function migrate({ stage, note }: FaultContext): Promise<boolean> {
  const args = ['migrate', resource, '--kubeconfig', stage.kubeconfig, '-o', 'json']
  const process = new StrataProcess('migrate', [
    ...args,
    ...serverNames.flatMap((name) => ['--context', name]),
  ])
  stage.addProcess(process)
  const { code } = await process.ended()
  note(code === 0 ? 'proven' : `strata migrate ended with ${code}: ${process.output.slice(-300)}`)
  return code === 0
}

/** A proof is checked against the stored bytes, without a server. */
async function holdToProof(context: FaultContext, version: string): Promise<void> {
  const { stage, history } = context
  for (const { key, value } of await stage.storedBeacons()) {
    const text = Buffer.from(value).toString('latin1')
    // Encrypted objects are checked by their key, in `key-rotation.ts`.
    if (text.startsWith('k8s:enc:')) continue
    const { apiVersion } = JSON.parse(text)
    if (apiVersion !== version)
      history.complain(`${key} is stored in ${apiVersion} after a migration to ${version} was called proven`)
  }
}

export const migration: FaultKind = {
  name: 'migration',
  summary: 'all servers are rolled to the other release, and strata migrate runs to its proof',
  stores: bothStores,
  targets: () => serverNames,
  async begin(context, { server }) {
    const release = otherRelease(context.stage.settings(server).release)
    await rollTo(context, release)
    const isProven = await migrate(context)
    if (isProven) await holdToProof(context, `lighthouse.example.dev/${release === 'x+1' ? 'v1' : 'v2'}`)
    return async () => {}
  },
}
