import { type HttpResponse, type Transport, utf8 } from '@strata/world'

/** Answers of a server, changed on their way out. */
const answering =
  (change: (response: HttpResponse, target: string) => HttpResponse) =>
  (handle: Transport): Transport =>
  async (request) =>
    change(await handle(request), request.target)

/** Each line of a watch as it is sent; undefined for one that is left out. */
const watchLines = (change: (line: string) => string | undefined) =>
  answering((response, target) => {
    const { body } = response
    if (!/[?&]watch=(1|true)/.test(target) || body instanceof Uint8Array) return response
    return { ...response, body: changed(body, change) }
  })

async function* changed(
  body: AsyncIterable<Uint8Array>,
  change: (line: string) => string | undefined,
): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    const lines = utf8.decode(chunk).split('\n')
    const kept = lines.flatMap((line) => (line === '' ? [line] : (change(line) ?? [])))
    const text = kept.join('\n')
    if (text !== '') yield utf8.encode(text)
  }
}

/** Drops every n-th event, counted over all watches. */
export function dropEveryEvent(each: number): (handle: Transport) => Transport {
  return (handle) => {
    let count = 0
    return watchLines((line) => {
      if (line.startsWith('{"type":"BOOKMARK"')) return line
      return ++count % each === 0 ? undefined : line
    })(handle)
  }
}

/** A bookmark names a revision that is yet to come. */
export const promiseTooMuch = watchLines((line) =>
  line.startsWith('{"type":"BOOKMARK"')
    ? line.replace(
        /"resourceVersion":"(\d+)"/,
        (_, revision) => `"resourceVersion":"${Number(revision) + 4}"`,
      )
    : line,
)
