import { chains } from '/work/wt/proto/test/golden/clients/captured-run.ts'
import { replayChain } from '/work/wt/proto/test/golden/clients/replay-clients.ts'
import { withServer } from '/work/wt/proto/test/golden/served-store.ts'
const only = process.argv[2]
const t=Date.now()
for (const chain of chains) {
  if (only && !chain.some((c) => c.includes(only))) continue
  const results = await withServer('sqlite', (access) => replayChain(access, chain))
  for (const r of results) if (!r.ok) console.log(r.id + '\n' + r.why)
  console.log('##', chain[0], results.filter((r) => r.ok).length, 'of', results.length, Date.now()-t)
}
