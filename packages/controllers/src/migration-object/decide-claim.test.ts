import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimFacts, claimTimes, decideClaim } from './decide-claim.ts'

type Row = readonly [name: string, facts: Partial<ClaimFacts>, want: 'take' | 'leave']

const there = (by: 'runner' | 'command' | 'unknown') => ({ holder: { by, is: 'there' } }) as const
const gone = (by: 'runner' | 'command' | 'unknown') => ({ holder: { by, is: 'gone' } }) as const
const { silenceMs, foreignSilenceMs, foreignStartMs, leaseSilenceMs, courtesyMs } = claimTimes

const free: ClaimFacts = {
  ...{ seeker: 'runner', holder: undefined, isForeign: false, isPaused: false, silentForMs: 0 },
  ...{ controllers: 'alive', takeOver: false },
}

const ofRunner: readonly Row[] = [
  ['R1: one without a claim', {}, 'take'],
  ['one that is ours', { holder: { by: 'runner', is: 'us' } }, 'take'],
  ['one of the leader before us', gone('runner'), 'take'],
  ['X13: one of a runner that began after us', there('runner'), 'leave'],
  ['X13: the same, almost silent', { ...there('runner'), silentForMs: silenceMs - 1 }, 'leave'],
  ['X13: the same, silent', { ...there('runner'), silentForMs: silenceMs }, 'take'],
  ['one that a command sees to', there('command'), 'leave'],
  ['one that a command sees to, though people paused it', { ...there('command'), isPaused: true }, 'leave'],
  ['one of a command that was killed on this machine', gone('command'), 'take'],
  ['one of a command that has fallen silent', { ...there('command'), silentForMs: silenceMs }, 'take'],
  ['a claim that cannot be read', there('unknown'), 'leave'],
  ['the same, silent', { ...there('unknown'), silentForMs: silenceMs }, 'take'],
  ["R3: one that a stranger runs, upstream's for example", { isForeign: true }, 'leave'],
  ['one that upstream may be about to run', { mayBecomeForeign: true }, 'leave'],
  ['the same, and no process came', { mayBecomeForeign: true, silentForMs: foreignStartMs }, 'take'],
  ['the same, and we have begun it', { mayBecomeForeign: true, holder: { by: 'runner', is: 'us' } }, 'take'],
  ['R3: the same, silent for long', { isForeign: true, silentForMs: foreignSilenceMs }, 'take'],
]
const ofCommand: readonly Row[] = [
  ['one without a claim, and controllers that live', {}, 'leave'],
  ['the same for long', { silentForMs: foreignSilenceMs }, 'leave'],
  ['the same, and it is wanted here', { takeOver: true }, 'take'],
  ['one without a claim, and no controllers', { controllers: 'absent' }, 'take'],
  ['one without a claim, and who knows about controllers', { controllers: 'silent' }, 'leave'],
  ['the same, and no process came', { controllers: 'silent', silentForMs: leaseSilenceMs }, 'take'],
  ['one that was paused and let go', { isPaused: true }, 'take'],
  ['one of a runner that lives', there('runner'), 'leave'],
  ['the same, and it is wanted here', { ...there('runner'), takeOver: true }, 'take'],
  ['one of a runner that was just asked to pause', { ...there('runner'), isPaused: true }, 'leave'],
  ['one of a dead runner, and another that leads', gone('runner'), 'leave'],
  ['one of a dead runner, and no other', { ...gone('runner'), controllers: 'absent' }, 'take'],
  ['one of a runner that ends', { ...there('runner'), controllers: 'absent' }, 'leave'],
  [
    'one of a runner that has ended',
    { ...there('runner'), controllers: 'absent', silentForMs: courtesyMs },
    'take',
  ],
  [
    'one of a runner whose Lease stands still',
    { ...there('runner'), controllers: 'silent', silentForMs: leaseSilenceMs },
    'take',
  ],
  ['one of a command that lives', there('command'), 'leave'],
  ['the same, and it is wanted here', { ...there('command'), takeOver: true }, 'leave'],
  ['the same, and it was paused', { ...there('command'), isPaused: true }, 'leave'],
  ['one of a command that was killed', gone('command'), 'take'],
  ['one of a command that fell silent', { ...there('command'), silentForMs: silenceMs }, 'take'],
  ['one that a stranger runs', { isForeign: true, controllers: 'absent' }, 'leave'],
  ['the same, silent for long', { isForeign: true, silentForMs: foreignSilenceMs }, 'leave'],
  [
    'the same, silent for long, and no controllers',
    { isForeign: true, silentForMs: foreignSilenceMs, controllers: 'absent' },
    'take',
  ],
  ['the same, and it is wanted here', { isForeign: true, takeOver: true }, 'take'],
]
for (const [seeker, rows] of [
  ['runner', ofRunner],
  ['command', ofCommand],
] as const) {
  for (const [name, facts, want] of rows) {
    test(`claim: ${seeker}: ${name}: ${want}`, () =>
      assert.equal(decideClaim({ ...free, seeker, ...facts }).do, want))
  }
}

test('claim: what is left is looked at again when its time is up', () => {
  const facts: ClaimFacts = { ...free, ...there('command'), silentForMs: 1_000 }
  assert.partialDeepStrictEqual(decideClaim(facts), { do: 'leave', leftMs: silenceMs - 1_000 })
})
