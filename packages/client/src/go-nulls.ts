/*
 * Servers written in Go send an empty slice without `omitempty` as null: every empty PartialObjectMetadataList has
 * `"items": null`, an empty APIResourceList `"resources": null`. Code that iterates expects an array or nothing. The answers
 * pass through here on their way in, so that no reader has to think of it.
 */

/** Fields of an object that a Go server sends as null, by the field that contains them; '' is the object itself. */
const arraysOfObjects: Readonly<Record<string, readonly string[]>> = {
  '': ['rules'],
  // CustomResourceDefinition has both. Controllers in Go write the first one of many custom resources.
  status: ['conditions', 'storedVersions'],
}

type Fields = Record<string, unknown>

/**
 * An object whose known arrays are not null, and whose metadata has no null. Other fields keep a null: in a custom resource it
 * may mean something, and the object may be sent back.
 */
export function readObject<T>(answer: T): T {
  if (!isObject(answer)) return answer
  for (const [path, names] of Object.entries(arraysOfObjects)) {
    const holder = path === '' ? answer : answer[path]
    if (isObject(holder)) for (const name of names) if (holder[name] === null) holder[name] = []
  }
  const { metadata } = answer
  if (metadata === null) (answer as Fields)['metadata'] = {}
  if (isObject(metadata)) {
    for (const [name, value] of Object.entries(metadata)) if (value === null) delete metadata[name]
  }
  return answer
}

/** A list with an array of such objects. */
export function readList<T>(answer: T): T {
  if (!isObject(answer)) return answer
  if (answer['items'] === null) (answer as Fields)['items'] = []
  if (Array.isArray(answer['items'])) for (const item of answer['items']) readObject(item)
  return readObject(answer)
}

/** A document without any null: a null in it means the same as an absent field. Only for what is never sent back. */
export function readDocument<T>(answer: T): T {
  if (Array.isArray(answer)) for (const each of answer) readDocument(each)
  if (!isObject(answer)) return answer
  for (const [name, value] of Object.entries(answer)) {
    if (value === null) delete (answer as Fields)[name]
    else readDocument(value)
  }
  return answer
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
