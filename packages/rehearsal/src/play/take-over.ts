import { counted } from '@strata/insight'
import { storedTypeIn } from '@strata/server/stored-values'
import { utf8 } from '@strata/world'
import type { Json } from '../lab/lab.ts'
import type { StoredObjects } from '../path/rehearsal-path.ts'
import type { RehearsalRun } from './rehearsal-run.ts'

/** Puts what a cluster has stored into the store of the lab, and remembers each object as its bytes have it. */
export async function takeOver(run: RehearsalRun, { entries, reasons }: StoredObjects): Promise<void> {
  await run.lab.load(entries)
  for (const reason of reasons) run.find(reason)
  for (const kind of run.kinds) {
    const own = entries.filter(({ key }) => key.startsWith(kind.prefix))
    for (const [index, { key, value }] of own.entries()) {
      const [name = '', namespace = ''] = key.slice(kind.prefix.length).split('/').reverse()
      const born = { kind, namespace, name, bornIn: run.step, isTouched: index === 0 }
      run.ledger.add(born, versionIn(value), bodyIn(value))
    }
    if (own.length > 0) run.tell('write', `the store holds ${counted(own.length, 'object')} of ${kind.name}`)
  }
}

const versionIn = (value: Uint8Array): string => storedTypeIn(value)?.apiVersion.split('/').at(-1) ?? ''
const bodyIn = (value: Uint8Array): Json => JSON.parse(utf8.decode(value))
