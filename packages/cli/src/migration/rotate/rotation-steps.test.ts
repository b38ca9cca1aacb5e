import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingGiven } from '../resources/given-flags.ts'
import type { RotationStep } from './decide-rotation.ts'
import type { ElsewhereStep } from './decide-rotation-elsewhere.ts'
import { adviceFor } from './rotation-steps.ts'

const facts = {
  rules: [{ resources: ['secrets'], keys: ['aesgcm:one', 'aesgcm:two'] }],
  again: 'strata rotate-keys secrets --to aesgcm:two',
  given: { ...nothingGiven, strata: ' --context a' },
  names: ['secrets'],
}

const cases: readonly (readonly [step: RotationStep | ElsewhereStep, next: readonly RegExp[]])[] = [
  [{ step: 'begin', because: 'no rotation is under way' }, []],
  // Without --yes and a terminal, the same command would stop here again.
  [
    { step: 'rewrite', to: 'aesgcm:two', because: '1 object of secrets under aesgcm:one' },
    [
      /^Rewrite them: strata rotate-keys secrets --to aesgcm:two --yes$/,
      /^The same by hand: strata migrate secrets --context a$/,
    ],
  ],
  // It will not load a file by itself, so another look changes nothing.
  [
    { step: 'load', to: 'aesgcm:two', servers: ['https://a'], because: 'no metric' },
    [
      /^Start https:\/\/a with this file: set --encryption-provider-config, and restart\. Then: strata rotate-keys secrets/,
      /^If servers are older than 1\.34, .*: strata migrate secrets --context a$/,
    ],
  ],
  [
    { step: 'load', to: 'aesgcm:two', servers: ['b'] },
    [/^Give b this file\./, /^Then: strata rotate-keys secrets --to aesgcm:two$/],
  ],
]

for (const [step, next] of cases) {
  test(`advice for the step ${step.step}`, () => {
    const advice = adviceFor(step, facts)
    assert.equal(advice.next.length, next.length)
    for (const [i, expected] of next.entries()) assert.match(advice.next[i] ?? '', expected)
  })
}
