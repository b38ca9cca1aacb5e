import { readFile } from 'node:fs/promises'
import { deadline, sleep } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../errors.ts'
import { readLastWords } from './last-words.ts'
import type { Member } from './member.ts'

const patienceMs = 60_000

/** Asks /readyz until it says yes. A server that does not get there is quoted. */
export async function untilReady(
  server: { readonly member: Member; readonly url: string; readonly logFile: string },
  caFile: string,
  { world, signal }: CliContext,
): Promise<void> {
  const { member, url, logFile } = server
  const transport = createNodeTransport({ server: url, ca: await readFile(caFile, 'utf8') })
  const limit = deadline(world.clock, patienceMs, signal)
  let failure: string | undefined
  void member.gaveUp.then((why) => {
    failure = why
  })
  try {
    while (failure === undefined) {
      const asking = transport({ method: 'GET', target: '/readyz', headers: {}, signal: limit.signal })
      const ready = await asking.then(
        ({ status }) => status === 200,
        () => false,
      )
      if (ready) return member.markReady()
      await sleep(world.clock, 100, limit.signal)
    }
  } catch (error) {
    if (signal.aborted) throw new CliError('stopped before the fleet was ready', 130)
    const why = readLastWords(logFile, 0) ?? 'it has said nothing'
    throw new CliError(`${member.name} did not become ready within a minute: ${why} (log: ${logFile})`, 1, {
      cause: error,
    })
  } finally {
    limit.dispose()
    transport.close()
  }
  throw new CliError(`${member.name} does not start: ${failure} (log: ${logFile})`)
}
