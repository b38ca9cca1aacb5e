// A server that takes its guard anew whenever the agreement record has moved, without looking whether its own entry still
// stands there, for the counter-proof: the zombie test must notice it. Takes the options of `serve` as JSON.
import { type ProtocolRules, protocolRules } from '@strata/server'
import { type ServeOptions, serve } from '@strata/server/main'
import { createNodeLog, createNodeWorld } from '@strata/world/node'

const options = JSON.parse(process.argv[2] ?? '{}') as ServeOptions
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort(new Error('stopped by SIGTERM')))
const world = createNodeWorld({ log: createNodeLog({ level: 'info' }) })
const rules: ProtocolRules = { ...protocolRules, decideBrokenGuard: () => ({ do: 'retry' }) }
const end = await serve({ ...options, rules }, world, stop.signal)
if (end.end === 'refused') {
  world.log.error(end.why)
  process.exitCode = 1
}
