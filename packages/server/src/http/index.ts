export { answerErrors, answerRequests } from './answer.ts'
export { type Listener, listen } from './listen.ts'
export { toApiError } from './status.ts'
