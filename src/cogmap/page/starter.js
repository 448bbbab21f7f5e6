// The script of this page is packed: this unpacks it and starts it. The policy of the page knows the hash of both.
const notice = document.getElementById("notice");
try {
  const packed = Uint8Array.from(atob(document.getElementById("script").textContent), (letter) => letter.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = await new Response(inflated).text();
  document.body.append(script);
} catch (problem) {
  notice.textContent = `This page needs a browser of 2023 or later. (${problem.message})`;
  notice.hidden = false;
}
