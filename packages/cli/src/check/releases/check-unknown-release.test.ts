import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { utf8 } from '@strata/world'
import { describeUnknownRelease } from './check-unknown-release.ts'

const never = new AbortController().signal

function ask(gitVersion: string | undefined, release: string) {
  const client = createClient({
    transport: async ({ target }) => {
      const isVersion = target.startsWith('/version')
      const status = isVersion && gitVersion === undefined ? 404 : 200
      const body = isVersion ? { gitVersion } : { metadata: {}, items: [] }
      return { status, headers: {}, body: utf8.encode(JSON.stringify(body)) }
    },
  })
  return describeUnknownRelease(client, release, never)
}

for (const release of ['latest', 'x+9', '2.0']) {
  test(`check --to ${release} on Kubernetes: an unknown release, and which ones are known`, async () => {
    const answer = await ask('v1.36.4', release)
    const { unknownRelease = '' } = answer ?? {}
    assert.equal(unknownRelease.startsWith(`${release} is not in the table`), true)
    assert.match(unknownRelease, /knows Kubernetes 1\.\d+ to 1\.\d+$/)
  })
}

test('check: servers that are not of Kubernetes have releases of their own', async () => {
  assert.equal(await ask('x+1', 'x+9'), undefined)
  assert.equal(await ask(undefined, 'x+9'), undefined)
})
