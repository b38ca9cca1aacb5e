import type { ApiObject } from '@strata/api'
import { ConversionPending, type Converter } from './converter.ts'
import { parseLossless } from './lossless-json.ts'

/** Of the answers that are remembered at once, with their questions. Whoever answers says how long an answer is. */
const rememberedLength = 16 * 1024 * 1024
/** As long as a request may take. */
const rememberedMs = 60_000

interface Answer {
  /** JSON: each who asks gets an object of his own. */
  readonly text: string
  readonly givenMs: number
}

/**
 * What a converter that takes time has answered, for as long as it takes to do again what had to wait for it. Asked about
 * are objects without the owners of their fields: those are never converted, and they have times in them that are other
 * ones when the same work is done again.
 */
export class RememberedAnswers {
  readonly #converter: Converter
  readonly #answers = new Map<string, Answer>()
  #length = 0

  constructor(converter: Converter) {
    this.#converter = converter
  }

  /** A new object each time. Throws `ConversionPending` if that has not been asked lately. */
  of(object: ApiObject, apiVersion: string): ApiObject {
    const { managedFields, ...metadata } = object.metadata
    const asked: ApiObject = { ...object, metadata }
    const question = `${apiVersion} ${JSON.stringify(asked)}`
    const answer = this.#answers.get(question)
    if (!answer || this.#nowMs() - answer.givenMs > rememberedMs) {
      throw new ConversionPending(
        `${String(object.apiVersion)} has yet to be converted to ${apiVersion}`,
        () => this.#ask(question, asked, apiVersion),
      )
    }
    const converted = parseLossless(answer.text) as ApiObject
    if (managedFields) converted.metadata.managedFields = managedFields
    return converted
  }

  async #ask(question: string, asked: ApiObject, apiVersion: string): Promise<void> {
    const [answer] = await this.#converter.convert([asked], apiVersion)
    if (!answer) throw new RangeError('a converter answered with fewer objects than it was given')
    this.#forget(question)
    const text = JSON.stringify(answer)
    this.#answers.set(question, { text, givenMs: this.#nowMs() })
    this.#length += question.length + text.length
    for (const [oldest] of this.#answers) {
      if (this.#length <= rememberedLength || oldest === question) break
      this.#forget(oldest)
    }
  }

  #forget(question: string): void {
    const answer = this.#answers.get(question)
    if (!answer) return
    this.#answers.delete(question)
    this.#length -= question.length + answer.text.length
  }

  #nowMs(): number {
    return this.#converter.nowMs?.() ?? 0
  }
}
