import { type ApiObject, parseLossless } from '@strata/api'
import { ConversionPending, type Converter } from './converter.ts'

/** Total length of remembered answers and their questions. The webhook decides how long an answer is. */
const rememberedLength = 16 * 1024 * 1024
/** As long as a request may take. */
const rememberedMs = 60_000

interface Answer {
  /** JSON: every caller gets an object of its own. */
  readonly text: string
  readonly givenMs: number
}

/**
 * Answers of a conversion webhook, kept while the work that waited for them is repeated. The questions omit managedFields: those
 * are never converted, and their times differ when the work is repeated.
 */
export class RememberedAnswers {
  readonly #converter: Converter
  readonly #answers = new Map<string, Answer>()
  #length = 0

  constructor(converter: Converter) {
    this.#converter = converter
  }

  /** A new object each time. Throws `ConversionPending` if there is no recent answer. */
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
