import { TransportError } from '@strata/world'

/** Whole lines from chunks. An end in the middle of a line is a connection that broke. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      yield text.slice(0, at)
      text = text.slice(at + 1)
    }
  }
  if (text !== '') throw new TransportError('the answer ended in the middle of a line', 'unknown')
}
