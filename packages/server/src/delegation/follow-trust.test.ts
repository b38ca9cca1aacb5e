import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { json, TestAggregator } from './aggregator-for-test.ts'
import { followTrust } from './follow-trust.ts'

const status = (code: number, reason: string) =>
  json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason })
const configMap = json(200, { metadata: { name: 'extension-apiserver-authentication' }, data: {} })

async function warningsOf(...answers: (typeof configMap)[]): Promise<readonly string[]> {
  const warnings: string[] = []
  const sent = [...answers]
  const pair = new TestAggregator(`trust ${answers.length}`, () => sent.shift() ?? configMap)
  const log = createLog((level, message) => level === 'warn' && warnings.push(message))
  const { clock, random } = pair.world
  const ended = new AbortController()
  const following = followTrust(pair.aggregator, { clock, random, log }, {}, () => {}, ended.signal)
  await pair.sleep(150_000)
  ended.abort()
  await pair.settle(following)
  return warnings
}

const start = 'could not read ConfigMap kube-system/extension-apiserver-authentication of the aggregator'
const until = 'until then no request through the aggregator is accepted'
const rows: readonly (readonly [name: string, answers: readonly (typeof configMap)[], want: string])[] = [
  [
    'credentials that the aggregator refuses',
    [status(401, 'Unauthorized')],
    `${start}: it refuses the credentials of this server; ${until}. Put a valid token or client certificate into the file of --kubeconfig, and start this server again`,
  ],
  [
    'a missing right',
    [status(403, 'Forbidden')],
    `${start}: this server may not read it; ${until}. Bind its user to the Role extension-apiserver-authentication-reader in kube-system`,
  ],
  ['no ConfigMap', [status(404, 'NotFound')], `${start}; ${until}`],
  [
    'a failure after the first answer',
    [configMap, status(404, 'NotFound')],
    `${start}; the settings before stay in force`,
  ],
]
for (const [name, answers, want] of rows) {
  test(`trust of the aggregator: ${name}`, async () => {
    assert.deepEqual(await warningsOf(...answers), [want])
  })
}
