import { readFile } from 'node:fs/promises'
import { deadline, readAll, sleep, type Transport, utf8 } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../errors.ts'
import { readLastWords } from './last-words.ts'
import type { Member } from './member.ts'

const patienceMs = 60_000

/** Of a server whose release cannot read what is stored. All servers of a fleet are of one release, so that nobody will mend it. */
const undecodable = 'storage-decodable'

/** Asks /readyz until it says yes. A server that does not get there is quoted. */
export async function untilReady(
  server: { readonly member: Member; readonly url: string; readonly logFile: string },
  { caFile, adminToken: token }: { readonly caFile: string; readonly adminToken: string },
  { world, signal }: CliContext,
): Promise<void> {
  const { member, url, logFile } = server
  const transport = createNodeTransport({ server: url, ca: await readFile(caFile, 'utf8'), token })
  const limit = deadline(world.clock, patienceMs, signal)
  let failure: string | undefined
  void member.gaveUp.then((why) => {
    failure = why
  })
  try {
    while (failure === undefined) {
      const answer = await ask(transport, '/readyz', limit.signal)
      if (answer?.status === 200) return member.markReady()
      if (answer?.text.includes(`[-]${undecodable} `)) {
        failure = await whyUndecodable(transport, limit.signal)
        break
      }
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

async function ask(
  transport: Transport,
  target: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const { status, body } = await transport({ method: 'GET', target, headers: {}, signal })
    return { status, text: utf8.decode(await readAll(body)) }
  } catch {
    return undefined
  }
}

/** A check says why it fails only if it is asked for by its name. */
async function whyUndecodable(transport: Transport, signal: AbortSignal): Promise<string> {
  const answer = await ask(transport, `/readyz/${undecodable}`, signal)
  return (answer?.text ?? '').replace(/^internal server error: /, '').trimEnd()
}
