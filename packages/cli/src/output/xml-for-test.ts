import assert from 'node:assert/strict'

/** An element, with its text if it has no elements inside. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Reads XML without comments, CDATA, doctype and namespaces, and throws at whatever is not well-formed. */
export function parseXml(text: string): XmlElement {
  assert.ok(text.startsWith(declaration), 'no XML declaration')
  assert.ok(text.isWellFormed(), 'a lone surrogate')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML 1.0 does not have.
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/, 'a character XML has not')
  const parser = new XmlParser(text.slice(declaration.length))
  const root = parser.element()
  assert.equal(parser.rest(), '', 'text after the root')
  return root
}

class XmlParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  rest(): string {
    return this.#text.slice(this.#at)
  }

  element(): XmlElement {
    const [, name = '', attributes = '', end] = this.#take(/<([A-Za-z][\w-]*)((?: [\w-]+="[^"<]*")*)(\/?)>/y)
    const open = { name, attributes: attributesOf(attributes) }
    if (end === '/') return { ...open, children: [], text: '' }
    const children: XmlElement[] = []
    let text = this.#characters()
    while (!this.#text.startsWith('</', this.#at)) {
      children.push(this.element())
      text += this.#characters()
    }
    this.#take(new RegExp(`</${name}>`, 'y'))
    return { ...open, children, text }
  }

  #characters(): string {
    const [raw] = this.#take(/[^<]*/y)
    assert.ok(!raw.includes(']]>'), 'the end of a CDATA section in text')
    return unescapeXml(raw)
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    assert.ok(found, `not ${pattern} at: ${this.rest().slice(0, 60)}`)
    this.#at = pattern.lastIndex
    return found
  }
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const all = [...text.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    unescapeXml(value),
  ])
  const attributes = Object.fromEntries(all)
  assert.equal(Object.keys(attributes).length, all.length, `an attribute twice:${text}`)
  return attributes
}

const unescapeXml = (text: string): string =>
  text.replaceAll(/&(?:#(\d+);|(\w+);)?/g, (whole, code?: string, name?: string) => {
    const found = code === undefined ? entities[name ?? ''] : String.fromCodePoint(Number(code))
    assert.ok(found !== undefined, `no entity of XML: ${whole}`)
    return found
  })
