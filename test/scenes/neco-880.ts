import assert from 'node:assert/strict'
import { NotHere, type Scene } from './scene.ts'

/** Servers of two releases write two versions: nothing is migrated until they agree. */
export const scene: Scene = {
  thread: 'cybozu-go/neco#880',
  story: 'API servers of two releases run side by side, and a migrator rewrites objects back and forth.',
  async play(ground) {
    if (!ground.own)
      throw new NotHere('all API servers of this cluster are of one release, as far as a client can see')
    const name = ground.own.mixedResource
    const status = await ground.strata('status', name)
    assert.equal(status.code, 1, status.said)
    assert.match(status.stdout, /servers encode different versions/)
    const migrated = await ground.strata('migrate', name, '--agreement-timeout', '1s')
    assert.equal(migrated.code, 4, migrated.said)
    const verified = await ground.strata('verify', name)
    assert.equal(verified.code, 4, verified.said)
    assert.match(verified.stdout, /disagreed/)
  },
}
