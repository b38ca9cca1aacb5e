import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disagreements, promising, readLedger } from '../golden/ledger.ts'
import { recordedTranscripts, replayTranscripts } from '../golden/replay-transcripts.ts'
import { servedStores } from '../golden/served-store.ts'

const ledger = readLedger('transcripts')
const transcripts = recordedTranscripts()
const known = transcripts.flatMap(({ steps }) => steps)

test('kubectl: prints as recorded on every store, but for what is left over', async () => {
  const runs = await Promise.all(
    servedStores.map((store) => replayTranscripts(store, promising(transcripts, ledger))),
  )
  const found = servedStores.flatMap((store, index) => {
    const results = runs[index] ?? []
    assert.ok(results.length > 400, `only ${results.length} commands were run on ${store}`)
    return disagreements(results, ledger, known).map((each) => `${store}: ${each}`)
  })
  assert.deepEqual(found, [])
})
