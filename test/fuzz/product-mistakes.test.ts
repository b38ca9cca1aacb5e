import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targets } from './product-mistakes-for-test.ts'
import { inputNumbered } from './run-chunk.ts'
import type { FuzzTarget } from './target.ts'
import { type Failure, tryInput } from './try-inputs.ts'

const inputs = 2_000

/** Without a pool and without shrinking: that takes many times as long as to find it. */
async function firstFailure(target: FuzzTarget): Promise<Failure | undefined> {
  const subject = await target.open()
  try {
    for (let number = 0; number < inputs; number++) {
      if (number % target.sequence === 0) await subject.reset?.()
      const input = inputNumbered(subject, { target: target.name, seed: '1', from: 0, to: inputs }, number)
      const tried = await tryInput(subject, input, { take: () => undefined })
      if ('failure' in tried) return tried.failure
    }
    return undefined
  } finally {
    await subject.close?.()
  }
}

for (const target of targets) {
  test(`fuzz: an oracle notices that ${target.name}`, async () => {
    const failure = await firstFailure(target)
    assert.equal(failure?.kind, 'wrong', failure?.text ?? `found nothing in ${inputs} inputs`)
  })
}
