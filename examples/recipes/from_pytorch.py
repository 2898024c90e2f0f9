#! [start]
import torch
import torch.nn as nn
import torch.nn.functional as F

device, half = "cpu", torch.float16
torch.manual_seed(1)
#! [start]

#! [data]
table = torch.tensor([[float(number) for number in line.split(",")] for line in open("../data/digits.csv")])
table = table[torch.randperm(len(table))]
images, labels = table[:, :64] / 16, table[:, 64].long()
train_images, test_images = images[:1440].to(device), images[1440:].to(device)
train_labels, test_labels = labels[:1440].to(device), labels[1440:].to(device)
#! [data]


#! [model]
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        x = F.gelu(self.hidden(x))
        return self.head(x)
#! [model]


#! [made]
network = Network().to(device)
optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=0.01)
scaler = torch.amp.GradScaler(device)
#! [made]

#! [loop]
for epoch in range(12):
    order = torch.randperm(len(train_images))
    for batch in order.split(32):
        x, y = train_images[batch], train_labels[batch]
        optimizer.zero_grad()
        with torch.autocast(device, dtype=half):
            logits = network(x)
            loss = F.cross_entropy(logits, y, label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}, scale {scaler.get_scale():g}")
#! [loop]

#! [evaluate]
network.eval()
with torch.no_grad(), torch.autocast(device, dtype=half):
    predictions = network(test_images).argmax(1)
right = (predictions == test_labels).sum().item()
print(f"{100 * right / len(test_labels):.1f} % of {len(test_labels)} are right")
#! [evaluate]

#! [save]
torch.save({"model": network.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}, "digits.pt")
#! [save]
