import { isInternalError, isSuccess } from '@strata/client'
import { type Clock, readAll, sleep, type Transport, utf8 } from '@strata/world'
import { decideOutlook, decisiveChecks, type Outlook, type Reasons } from './decide-outlook.ts'

/** A server that is not ready after this long is asked less often. */
const patientMs = 10_000

/** Asks /readyz again and again: yields each time what it says, until the server is ready. Throws the reason of the signal. */
export async function* observeReadiness(
  transport: Transport,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Outlook | { readonly kind: 'ready' }, void> {
  const beganMs = clock.monotonicMs()
  for (;;) {
    const answer = await ask(transport, '/readyz', signal)
    if (answer && isSuccess(answer)) {
      yield { kind: 'ready' }
      return
    }
    const reasons = await reasonsOf(transport, answer?.text ?? '', signal)
    // After the deadline a missing answer says nothing about the server.
    signal.throwIfAborted()
    yield decideOutlook(reasons)
    await sleep(clock, clock.monotonicMs() - beganMs < patientMs ? 100 : 1_000, signal)
  }
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

/** /readyz gives the reason of a failing check only under the name of the check. */
async function reasonsOf(transport: Transport, readyz: string, signal: AbortSignal): Promise<Reasons> {
  const failing = Object.entries(decisiveChecks).filter(([, check]) => readyz.includes(`[-]${check} `))
  const reasons = await Promise.all(
    failing.map(async ([name, check]) => {
      const answer = await ask(transport, `/readyz/${check}`, signal)
      // It may have passed meanwhile, or the server may be gone.
      if (!answer || !isInternalError(answer)) return []
      return [[name, answer.text.replace(/^internal server error: /, '').trimEnd()]]
    }),
  )
  return Object.fromEntries(reasons.flat())
}
