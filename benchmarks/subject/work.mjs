/** Works until it is closed, and says when it has begun. */
export async function work(opened) {
  await opened.start(() => {});
}
