// TensorFlow.js with its wasm backend, in Node. The folder with its packages comes as the first argument. It has one thread: in
// Node the backend says so itself when asked for more.
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const folder = process.argv[2];
const require = createRequire(path.join(folder, 'package.json'));
const tf = require('@tensorflow/tfjs');
const wasm = require('@tensorflow/tfjs-backend-wasm');
wasm.setWasmPaths(path.join(folder, 'node_modules/@tensorflow/tfjs-backend-wasm/dist/'));
await tf.setBackend('wasm');
await tf.ready();

if (process.argv[3] === 'first') {
  console.log(tf.matMul(tf.ones([2, 2]), tf.ones([2, 2])).dataSync()[0]);
  process.stdin.resume();
} else {
  serve();
}

function uniform(shape, inputs) {
  const bound = 1 / Math.sqrt(inputs);
  return tf.variable(tf.randomUniform(shape, -bound, bound));
}
const dense = (inputs, outputs) => [uniform([inputs, outputs], inputs), uniform([outputs], inputs)];
const kernel = (inputs, outputs) => [uniform([3, 3, inputs, outputs], 9 * inputs), uniform([outputs], 9 * inputs)];
const linear = (x, [w, b]) => tf.add(tf.matMul(x, w), b);
const labels = count => tf.oneHot(tf.tensor1d([...Array(count).keys()].map(i => i % 10), 'int32'), 10);

function training(layers, network, loss, x, y) {
  const optimizer = tf.train.adam(1e-3);
  const step = () => optimizer.minimize(() => loss(y, network(layers, x)), true, layers.flat());
  return repetitions => {
    for (let i = 0; i < repetitions; ++i) {
      const last = step();
      if (i === repetitions - 1) last.dataSync();
      last.dispose();
    }
  };
}

// The backend has done its work when a call returns, so results need not be read to be there.
function repeated(work, read = result => {}) {
  return repetitions => {
    for (let i = 0; i < repetitions; ++i) tf.tidy(() => { read(work()); });
  };
}

function cnn(layers, x) {
  for (const [w, b] of layers.slice(0, 2)) x = tf.maxPool(tf.relu(tf.add(tf.conv2d(x, w, 1, 'same'), b)), 2, 2, 'valid');
  return linear(tf.relu(linear(x.reshape([x.shape[0], 3136]), layers[2])), layers[3]);
}
const cnnLayers = () => [kernel(1, 32), kernel(32, 64), dense(3136, 128), dense(128, 10)];

const works = {
  xor() {
    const network = (layers, x) => tf.sigmoid(linear(tf.tanh(linear(x, layers[0])), layers[1]));
    const x = tf.tensor2d([[0, 0], [0, 1], [1, 0], [1, 1]]), y = tf.tensor2d([[0], [1], [1], [0]]);
    return training([dense(2, 8), dense(8, 1)], network, tf.losses.meanSquaredError, x, y);
  },
  sine() {
    const network = (layers, x) => linear(tf.tanh(linear(x, layers[0])), layers[1]);
    const x = tf.randomUniform([128, 1], -6, 6);
    return training([dense(1, 256), dense(256, 1)], network, tf.losses.meanSquaredError, x, tf.sin(x));
  },
  mlp() {
    const network = (layers, x) => linear(tf.relu(linear(tf.relu(linear(x, layers[0])), layers[1])), layers[2]);
    return training([dense(784, 256), dense(256, 128), dense(128, 10)], network, tf.losses.softmaxCrossEntropy, tf.randomUniform([128, 784]), labels(128));
  },
  cnn: () => training(cnnLayers(), cnn, tf.losses.softmaxCrossEntropy, tf.randomUniform([64, 28, 28, 1]), labels(64)),
  chain() {
    const x = tf.randomUniform([1 << 20], -1, 1);
    return repeated(() => x.mul(1.5).add(0.5).relu().mul(x).sub(0.25).abs().sqrt().tanh().mul(0.9).add(x));
  },
  means() {
    const arrays = [...Array(10)].map(() => tf.randomUniform([1 << 18]));
    return repeated(() => arrays.map(array => array.square().mean()));
  },
  inference() {
    const layers = cnnLayers(), picture = Float32Array.from({length: 784}, Math.random);
    return repeated(() => cnn(layers, tf.tensor4d(picture, [1, 28, 28, 1])), result => result.dataSync());
  },
};

function answer(line, state) {
  const [command, ...rest] = line.trim().split(' ');
  let start = performance.now();
  if (command === 'prepare') {
    if (!works[rest[0]]) throw new Error('not written for this peer');
    state.run = works[rest[0]]();
    state.run(1);
  } else if (command === 'run') {
    const [repetitions, warming] = rest.map(Number);
    if (warming) state.run(warming);
    start = performance.now();
    state.run(repetitions);
  } else {
    throw new Error('not written for this peer');
  }
  return {seconds: (performance.now() - start) / 1000};
}

function serve() {
  const state = {};
  readline.createInterface({input: process.stdin}).on('line', line => {
    let reply;
    try {
      reply = answer(line, state);
    } catch (error) {
      reply = {failed: String(error.message ?? error)};
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  });
}
