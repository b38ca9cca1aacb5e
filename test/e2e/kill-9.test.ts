import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { countVersions } from '../support/raw-history.ts'
import { WriteLoad } from '../support/write-load.ts'
import { judgeLoad } from './judge-load.ts'
import { storeKinds, withLiveFleet } from './live-fleet.ts'

const names = ['a', 'b', 'c'] as const
const rounds = isFullSize ? 10 : 2

for (const store of storeKinds) {
  test(`kill -9 on ${store}: the others go on, nothing acknowledged is lost, and the dead one comes back`, async (t) => {
    await withLiveFleet({ store }, async (fleet) => {
      await fleet.startAll('x+1')
      const servers = names.map((name) => fleet.transport(name))
      const { random } = fleet.world
      // With hardly a pause, so that the blow falls into the middle of something.
      await using load = new WriteLoad({
        ...{ servers: () => servers, apiVersions: () => ['v1', 'v2'], random, writers: 8, pauseMs: 5 },
      })
      await load.untilMore(50)
      for (let round = 0; round < rounds; round++) {
        const name = names[round % names.length] ?? 'a'
        await fleet.server(name).kill()
        // The dead server is not replaced yet; two of three are enough.
        await load.untilMore(100)
        const during = await fleet.status(name === 'a' ? 'b' : 'a')
        assert.equal(during.agreedVersion, 'lighthouse.example.dev/v1', 'its entry stands: it may come back')
        await fleet.start(name, 'x+1')
        await load.untilMore(20)
      }
      const after = await fleet.status('c')
      assert.deepEqual([after.code, after.agreedVersion], [0, 'lighthouse.example.dev/v1'])
      assert.deepEqual(after.servers.toSorted(), names.map((name) => fleet.idOf(name)).sort())
      await load.stop()

      const history = await fleet.history()
      t.diagnostic(JSON.stringify({ puts: countVersions(history.puts), load: load.counts }))
      assert.deepEqual(history.violations, [])
      assert.deepEqual(judgeLoad(load, history), [])
    })
  })
}
