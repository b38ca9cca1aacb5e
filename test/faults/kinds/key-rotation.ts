import type { AgreementStatus } from '@strata/api'
import { ask } from '../../support/ask.ts'
import { agreementPath } from '../../support/fleet.ts'
import { until } from '../../support/until.ts'
import { bothStores, type FaultContext, type FaultKind } from '../fault-kind.ts'
import { serverNames } from '../stage/network.ts'
import { migrate, rollTo } from './migration.ts'

type Entry = AgreementStatus['servers'][number]
const patience = { giveUpMs: 60_000 }

/** Waits until the record says it of every server. */
async function untilAll(
  { stage }: FaultContext,
  what: string,
  isSo: (entry: Entry) => boolean,
): Promise<void> {
  await until(
    what,
    async () => {
      const answer = await ask(stage.transport('a'), 'GET', agreementPath).catch(() => undefined)
      if (answer?.status !== 200) return false
      const { servers } = answer.body.status as AgreementStatus
      return servers.length === serverNames.length && servers.every(isSo)
    },
    patience,
  )
}

const isKey = (entry: string, key: string): boolean => entry === key || entry.startsWith(`${key}:`)

/** Add, promote, migrate, remove: as docs/encryption.md tells operators to. */
async function rotate(context: FaultContext): Promise<void> {
  const { stage, note, history } = context
  const [current = 'identity'] = stage.keys
  const next = `aesgcm:k${stage.keysUsed.length}`
  const old = stage.keys
  // Nothing is proven while servers write different versions.
  await rollTo(context, stage.settings('a').release)
  await stage.giveKeys([...old, next])
  await untilAll(context, `all read ${next}`, ({ readableKeys }) =>
    readableKeys.some((key) => isKey(key, next)),
  )
  await stage.giveKeys([next, ...old])
  await untilAll(context, `all write ${next}`, ({ writeKey }) => isKey(writeKey, next))
  if (!(await migrate(context))) return
  const [, name] = next.split(':')
  for (const { key, value } of await stage.storedBeacons()) {
    if (!Buffer.from(value).toString('latin1').startsWith(`k8s:enc:aesgcm:v1:${name}:`))
      history.complain(`${key} is not under ${next} after a migration to it was called proven`)
  }
  await stage.giveKeys([next])
  try {
    await untilAll(context, `no server has ${current}`, ({ readableKeys }) => readableKeys.length === 1)
  } catch (error) {
    // Servers keep a key that is not proven to be out of use; one that is started again needs it too.
    await stage.giveKeys([next, ...old])
    throw error
  }
  note(`${current} was replaced by ${next}`)
}

export const keyRotation: FaultKind = {
  name: 'key-rotation',
  summary: 'a new encryption key is added, promoted, migrated to, and the old one removed',
  stores: bothStores,
  targets: () => serverNames,
  async begin(context) {
    // The store may be down meanwhile; then the rotation is left where it is, and the next one goes on from there.
    await rotate(context).catch((error: unknown) => context.note(`not finished: ${String(error)}`))
    return async () => {}
  },
}
