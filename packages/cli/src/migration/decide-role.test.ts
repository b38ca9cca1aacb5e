import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRole, type Role, type RoleFacts } from './decide-role.ts'

type Open = NonNullable<RoleFacts['open']>
const open: Open = { claim: 'none', isPaused: false, silentForMs: 0 }
const asked: RoleFacts = { open, controllers: 'alive', takeOver: false }

const rows: readonly [name: string, facts: Partial<RoleFacts>, want: Role['do']][] = [
  ['there is none', { open: undefined }, 'run'],
  ['the controllers have it', {}, 'follow'],
  ['the controllers have had it for long', { open: { ...open, silentForMs: 99_999 } }, 'follow'],
  ['the controllers have it, and it is wanted here', { takeOver: true }, 'run'],
  ['a living process has claimed it', { open: { ...open, claim: 'alive' } }, 'follow'],
  [
    'a living process has claimed it, and it is wanted here',
    { open: { ...open, claim: 'alive' }, takeOver: true },
    'follow',
  ],
  ['whoever claimed it has died', { open: { ...open, claim: 'abandoned' } }, 'run'],
  ['whoever claimed it has stopped', { open: { ...open, isPaused: true } }, 'run'],
  ['no controllers, and just seen', { controllers: 'absent' }, 'follow'],
  [
    'no controllers, and nobody moves it',
    { controllers: 'absent', open: { ...open, silentForMs: 3_000 } },
    'run',
  ],
  [
    'silent controllers, for a moment',
    { controllers: 'silent', open: { ...open, silentForMs: 3_000 } },
    'follow',
  ],
  ['silent controllers', { controllers: 'silent', open: { ...open, silentForMs: 15_000 } }, 'run'],
]
for (const [name, facts, want] of rows) {
  test(`role: ${name}: ${want}`, () => assert.equal(decideRole({ ...asked, ...facts }).do, want))
}
