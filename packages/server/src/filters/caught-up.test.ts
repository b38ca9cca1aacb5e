import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { type Authenticator, anonymous, type User } from '../authentication/index.ts'
import type { RequestContext } from '../handlers/index.ts'
import { authentication } from './authentication.ts'
import { caughtUp } from './caught-up.ts'

const ann: User = { name: 'ann', groups: [] }
const cases: ReadonlyArray<
  [name: string, authorization: string | undefined, user: User | undefined, want: string]
> = [
  ['with a good token', 'Bearer good', ann, 'held authenticated'],
  ['with a forged token', 'Bearer forged', undefined, 'held unauthenticated'],
  ['with a credential of another kind', 'Basic x', anonymous, 'held unauthenticated'],
  ['without a credential', undefined, anonymous, 'unauthenticated'],
]
for (const [name, authorization, user, want] of cases) {
  test(`caught up: what a request ${name} is charged for while the cache is filled`, async () => {
    const calls: string[] = []
    const filled = Promise.withResolvers<void>()
    const world = new Simulation('caught up').process('server')
    const cache = { synced: false, whenSynced: () => filled.promise }
    const request = {
      ...{ method: 'GET', target: '/api', headers: authorization === undefined ? {} : { authorization } },
      onHeld: () => calls.push('held'),
      onAuthenticated: () => calls.push('authenticated'),
      onUnauthenticated: () => calls.push('unauthenticated'),
    }
    const { signal } = new AbortController()
    const context = { request, signal, info: { path: '/api' } } as unknown as RequestContext
    const identify = authentication({ identify: () => user } as unknown as Authenticator)
    const answered = caughtUp(
      cache,
      { find: () => undefined, elsewhere: () => undefined },
      world,
    )(context, (waited) =>
      Promise.resolve(identify(waited, async () => ({ status: 200, headers: {}, body: new Uint8Array() }))),
    )
    assert.deepEqual(calls, authorization === undefined ? [] : ['held'], 'before any user is known')
    filled.resolve()
    await Promise.resolve(answered).catch(() => {})
    assert.equal(calls.join(' '), want)
  })
}
