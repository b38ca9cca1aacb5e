export { answerErrors, answerRequests } from './answer.ts'
