import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import type { Verdict } from '../migration/evidence/decide-evidence.ts'
import { decideCleanEvidence } from './decide-clean-evidence.ts'

const rows: readonly [name: string, seen: Verdict, stored: string[], owned: string[], want: Verdict][] = [
  ['unknown, but the version is gone and all was read', 'unknown', ['v2'], ['v1alpha1'], 'observed clean'],
  ['a version that the CRD has can be decoded', 'unknown', ['v2'], ['v1alpha1', 'v1'], 'unknown'],
  ['other versions that are stored do not matter', 'unknown', ['v1', 'v2'], ['v1alpha1'], 'observed clean'],
  ['a proof stays one', 'proven', ['v2'], ['v1alpha1'], 'proven'],
  ['what is known to be stale stays stale', 'stale', ['v2'], ['v1alpha1'], 'stale'],
  ['servers that disagree still do', 'disagreed', ['v2'], ['v1alpha1'], 'disagreed'],
]
for (const [name, verdict, storedVersions, owned, want] of rows) {
  test(`clean evidence: ${name}: ${want}`, () => {
    const definition = {
      metadata: { name: 'lamps.light.example.dev' },
      spec: {
        versions: [
          { name: 'v1', served: false, storage: false },
          { name: 'v2', served: true, storage: true },
        ],
      },
      status: { storedVersions },
    } as unknown as CustomResourceDefinition
    const decided = decideCleanEvidence({ verdict, because: 'as seen' }, definition, owned)
    assert.equal(decided.verdict, want)
    assert.equal(decided.because === 'as seen', want === verdict)
  })
}
